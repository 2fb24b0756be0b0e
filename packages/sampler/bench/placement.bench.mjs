// How even are the steps of each placement strategy, beside the bound that no placement can pass?
//
//   npm run bench -- placement [--quick] [--data lognormal,standIn] [--steps N]
//
// Every data set × window 128K, 256K, 1M × dp 8 … 1024 × pool 1 … 32 × sync, concatSplit of shuffled
// documents, seed 0, causal pairs: mean, p95 and worst skew over the steps. Four micro-steps, and one
// for "step" as well. Milliseconds are processor time of one placement, which other processes do not
// change; the skews are exact. The last line is one JSON object.
import { parseArgs } from "node:util";
import { corpusNames, hasDataFolder, isGenerated, loadCorpus } from "./placement/corpora.mjs";
import { checkExact } from "./placement/exact.mjs";
import { gatesOf } from "./placement/gates.mjs";
import { measure, measureWlb } from "./placement/measure.mjs";
import { timePlacements } from "./placement/timing.mjs";
import { workloadsOf } from "./placement/workloads.mjs";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    data: { type: "string", default: corpusNames.join(",") },
    steps: { type: "string", default: "0" },
  },
});
const windows = [2 ** 17, 2 ** 18, 2 ** 20];
const dps = options.quick ? [32, 128] : [8, 32, 128, 1024];
const poolSizes = options.quick ? [1, 8] : [1, 2, 4, 8, 16, 32];
const strategies = ["libra", "arrival", "snake", "longestFirst", "karmarkarKarp"];
const kinds = [
  { sync: "step", microSteps: 1 },
  { sync: "step", microSteps: 4 },
  { sync: "microStep", microSteps: 4 },
  { sync: "pipeline", microSteps: 4 },
];
/** Steps of a configuration: many small ones or a few large ones see about as many sequences. */
const stepsFor = (slots) => Number(options.steps) || (slots <= 128 ? 12 : slots <= 512 ? 6 : 3);

const rows = [];
for (const data of options.data.split(",")) {
  if (!isGenerated(data) && !hasDataFolder()) {
    console.log(`${data}: skipped, there is no ../shared/data beside the repository`);
    continue;
  }
  const lengths = await loadCorpus(data);
  for (const window of windows) {
    for (const dp of dps) {
      for (const { sync, microSteps } of kinds) {
        const slots = dp * microSteps;
        const steps = stepsFor(slots);
        const workloads = workloadsOf(lengths, window, slots * steps, 0);
        for (const pool of poolSizes.filter((size) => size <= dp)) {
          const configuration = { data, window, dp, pool, sync, microSteps };
          for (const strategy of strategies) {
            rows.push(measure(configuration, strategy, workloads, steps));
          }
          rows.push(measureWlb(configuration, lengths, steps));
        }
      }
    }
    const own = rows.filter((row) => row.data === data && row.window === window);
    for (const line of summaries(own)) console.log(line);
  }
}

const exact = await checkExact();
const gates = gatesOf(rows, exact);
for (const line of gates.lines) console.log(line);
const { foreignTrials, unclean, timings } = await timePlacements();
console.log(JSON.stringify({ rows, exact, gates: gates.values, timings, foreignTrials, unclean }));

/** One line a sync: mean skew of each strategy at dp 128 and pools of 8, where they were measured. */
function summaries(own) {
  const lines = [];
  for (const { sync, microSteps } of kinds) {
    const some = own.filter(
      (row) =>
        row.sync === sync && row.microSteps === microSteps && row.dp === 128 && row.pool === 8,
    );
    if (some.length === 0) continue;
    const skews = some.map(({ strategy, skew }) => `${strategy} ${skew.toFixed(4)}`).join("  ");
    const { data, window, bound } = some[0];
    const name = `${data} ${window / 1024}K dp 128 pool 8 ${sync} × ${microSteps}`;
    lines.push(`${name.padEnd(48)} bound ${bound.toFixed(4)}  ${skews}`);
  }
  return lines;
}
