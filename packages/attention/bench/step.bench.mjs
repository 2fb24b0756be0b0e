// What does Libra's tile plan gain in one attention layer, forward and backward?
// Two ranks with one compute thread each; one window is filled by one document, the other by 32.
// Without a pool the second rank waits for the first. Both plans run in turns on the same data.
import { median } from "../../../bench/lib/trial.mjs";
import { runStep } from "./step/job.mjs";

const rounds = Number(process.argv[2] ?? 7);
const { plans, samples, difference, foreignTrials } = await runStep(rounds);
const ratio = (field) =>
  median(samples.ulysses.map((sample) => sample[field])) /
  median(samples.libra.map((sample) => sample[field]));
const rounded = (value) => Number(value.toPrecision(4));
console.log(
  JSON.stringify({
    speedup: rounded(ratio("wallMs")),
    criticalPathSpeedup: rounded(ratio("busyMs")),
    ideal: rounded(plans.ulysses.workerSkew / plans.libra.bound),
    skewBefore: rounded(plans.ulysses.workerSkew),
    skewAfter: rounded(plans.libra.workerSkew),
    maxRelativeDifference: Number(difference.toPrecision(3)),
    foreignTrials,
  }),
);
