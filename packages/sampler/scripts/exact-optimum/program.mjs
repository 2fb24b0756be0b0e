/**
 * A placement problem as a mixed-integer program in LP format: x_i_b says that item i is in bin b;
 * the objective is the step's skew. Bins of one group are alike, and groups too: items are sorted,
 * the largest is in bin 0, and levels descend.
 *
 * @param bound - a value the objective cannot be below
 */
export function programOf(workloads, { pools, poolSize, microSteps, sync }, bound) {
  const perMicroStep = sync === "microStep" && microSteps > 1;
  const groups = perMicroStep ? microSteps : 1;
  const bins = pools * groups;
  const size = perMicroStep ? poolSize : poolSize * microSteps;
  const mean = workloads.reduce((a, b) => a + b, 0) / pools;
  const items = [...workloads].sort((a, b) => b - a).map((workload) => workload / mean);
  const name = (item, bin) => `x${item}_${bin}`;
  const level = (group) => `L${group}`;
  // With one group the bins are alike but for their items: item i has no need of a bin above i.
  const lastBin = (item) => (groups === 1 ? Math.min(item, bins - 1) : item === 0 ? 0 : bins - 1);
  const levels = Array.from({ length: groups }, (_, group) => level(group));
  const rows = [];
  const variables = [];
  for (const item of items.keys()) {
    const own = Array.from({ length: lastBin(item) + 1 }, (_, bin) => name(item, bin));
    variables.push(...own);
    rows.push(`${own.join(" + ")} = 1`);
  }
  for (let bin = 0; bin < bins; bin++) {
    const inside = [...items.keys()].filter((item) => bin <= lastBin(item));
    rows.push(`${inside.map((item) => name(item, bin)).join(" + ")} = ${size}`);
    const load = inside.map((item) => `${items[item].toPrecision(15)} ${name(item, bin)}`);
    rows.push(`${load.join(" + ")} - ${level(Math.floor(bin / pools))} <= 0`);
  }
  for (let group = 1; group < groups; group++) {
    rows.push(`${level(group - 1)} - ${level(group)} >= 0`);
  }
  rows.push(`${levels.join(" + ")} >= ${bound}`);
  return [
    "Minimize",
    ` obj: ${levels.join(" + ")}`,
    "Subject To",
    ...rows.map((row, i) => ` r${i}: ${row}`),
    "Binary",
    ` ${variables.join(" ")}`,
    "End",
  ].join("\n");
}
