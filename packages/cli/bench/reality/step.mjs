// One attention layer under two plans, as `bench -- step` runs it.
import { simulateAttention } from "@libra/simulator";
import { median } from "../../../../bench/lib/trial.mjs";
import { runStep } from "../../../attention/bench/step/job.mjs";
import { rankRows, row, skewOf } from "./rows.mjs";

export async function stepRows(cluster, rounds) {
  const { plans, samples, foreignTrials } = await runStep(rounds, {
    limit: 0.1,
    log: (line) => console.error(`step: ${line}`),
  });
  const rows = Object.entries(plans).flatMap(([planner, plan]) => {
    const { seconds, attention } = simulateAttention(plan, { cluster, elementBytes: 4 });
    const predicted = [Array.from(attention, (time) => 1e3 * time)];
    const measuredOf = (pick) => median(samples[planner].map(pick));
    const measured = [
      Array.from({ length: plan.workers }, (_, rank) =>
        measuredOf(({ attentionMs }) => attentionMs[rank]),
      ),
    ];
    return [
      row(
        "step",
        planner,
        "step",
        1e3 * seconds,
        measuredOf(({ wallMs }) => wallMs),
      ),
      ...rankRows("step", planner, predicted, measured),
      row("step", planner, "attention skew", skewOf(predicted), skewOf(measured)),
    ];
  });
  return { rows, foreignTrials };
}
