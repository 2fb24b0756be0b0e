// Predicted beside measured.
export function row(job, planner, quantity, predicted, measured) {
  return { job, planner, quantity, predicted, measured, error: predicted / measured - 1 };
}

/** Sum over steps of the greatest ÷ sum of the means; one list of ranks a step. */
export function skewOf(steps) {
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  return (
    sum(steps.map((ranks) => Math.max(...ranks))) /
    sum(steps.map((ranks) => sum(ranks) / ranks.length))
  );
}

/** Time of each rank, mean over steps, as rows. */
export function rankRows(job, planner, predicted, measured) {
  const mean = (steps, rank) => steps.reduce((sum, ranks) => sum + ranks[rank], 0) / steps.length;
  return measured[0].map((_, rank) =>
    row(job, planner, `attention, rank ${rank}`, mean(predicted, rank), mean(measured, rank)),
  );
}
