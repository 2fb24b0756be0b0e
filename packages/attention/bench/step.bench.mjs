// What does Libra's tile plan gain in one attention layer, forward and backward?
// Two ranks with one compute thread each; one window is filled by one document, the other by 32.
// Without a pool the second rank waits for the first. Both plans run in turns on the same data, and
// their results are compared.
//
//   npm run bench -- step [ROUNDS] [--dtype float32|bfloat16]
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { runStep } from "./step/job.mjs";

const { values: options, positionals } = parseArgs({
  options: { dtype: { type: "string", default: "float32" } },
  allowPositionals: true,
});
const { dtype } = options;
const result = await runStep(Number(positionals[0] ?? 7), { dtype });
const { plans, samples, difference, fromFloat32, foreignTrials } = result;
const ratio = (field) =>
  median(samples.ulysses.map((sample) => sample[field])) /
  median(samples.libra.map((sample) => sample[field]));
const rounded = (value) => Number(value.toPrecision(4));
const medianMs = (planner) => rounded(median(samples[planner].map(({ wallMs }) => wallMs)));
console.log(
  JSON.stringify({
    dtype,
    speedup: rounded(ratio("wallMs")),
    criticalPathSpeedup: rounded(ratio("busyMs")),
    ideal: rounded(plans.ulysses.workerSkew / plans.libra.bound),
    skewBefore: rounded(plans.ulysses.workerSkew),
    skewAfter: rounded(plans.libra.workerSkew),
    medianMs: { ulysses: medianMs("ulysses"), libra: medianMs("libra") },
    maxRelativeDifference: Number(difference.toPrecision(3)),
    ...(dtype === "bfloat16" ? { differenceFromFloat32: Number(fromFloat32.toPrecision(3)) } : {}),
    foreignTrials,
  }),
);
