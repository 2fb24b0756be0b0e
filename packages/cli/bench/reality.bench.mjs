// Does the simulator foresee what this machine does? Calibrates two ranks with one compute thread each,
// then runs the attention layer of `bench -- step` and the trainer under plain data parallelism and under
// Libra, and simulates the same lengths, layout and planner from the profile just measured.
//
//   npm run bench -- reality [--rounds 5] [--steps 10] [--seconds 20] [--keep FOLDER]
//
// Run it on an idle machine: steps during which others took a tenth of a core are left out and counted.
// Step times must be within 15 %, skews within 3 %. The last line is {rows: [{job, planner, quantity,
// predicted, measured, error}], gates: [{gate, limit, value, kept}], calibration, foreignTrials}.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { calibrateMachine } from "./reality/machine.mjs";
import { stepRows } from "./reality/step.mjs";
import { trainerRows } from "./reality/trainer.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    steps: { type: "string", default: "10" },
    seconds: { type: "string", default: "20" },
    keep: { type: "string" },
  },
});
const limits = { step: 0.15, skew: 0.03, heldOutMedian: 0.05, heldOutP95: 0.12 };

const folder = options.keep ?? mkdtempSync(join(tmpdir(), "libra-bench-reality-"));
mkdirSync(folder, { recursive: true });
const rows = [];
let foreignTrials = 0;
let machine;
try {
  machine = await calibrateMachine(folder, options.seconds);
  for (const part of [
    await stepRows(machine.cluster, Number(options.rounds)),
    await trainerRows(machine.cluster, Number(options.steps), folder),
  ]) {
    rows.push(...part.rows);
    foreignTrials += part.foreignTrials;
  }
} finally {
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const figure = (value, quantity) =>
  quantity.includes("skew") ? value.toFixed(3) : `${value.toFixed(0)} ms`;
console.log();
for (const { job, planner, quantity, predicted, measured, error } of rows) {
  console.log(
    `${job.padEnd(8)}${planner.padEnd(9)}${quantity.padEnd(28)}predicted ${figure(predicted, quantity).padStart(8)}  measured ${figure(measured, quantity).padStart(8)}  ${error < 0 ? "" : "+"}${percent(error)}`,
  );
}

const { heldOut } = machine.calibration;
const gates = [
  ...rows
    .filter(({ quantity }) => quantity === "step" || quantity === "attention skew")
    .map(({ job, planner, quantity, error }) => ({
      gate: `${job}, ${planner}: ${quantity}`,
      limit: quantity === "step" ? limits.step : limits.skew,
      value: Math.abs(error),
    })),
  { gate: "held-out error, median", limit: limits.heldOutMedian, value: heldOut.median },
  { gate: "held-out error, p95", limit: limits.heldOutP95, value: heldOut.p95 },
].map((gate) => ({ ...gate, kept: gate.value <= gate.limit }));
const missed = gates.filter(({ kept }) => !kept);
console.log(`\n${gates.length - missed.length} of ${gates.length} gates kept`);
for (const { gate, limit, value } of missed) {
  console.log(`  ${gate}: ${percent(value)} above ${percent(limit)}`);
}
const { profile, linear, rowBandwidth, links } = machine.calibration;
const calibration = {
  kernel: profile.kernel,
  date: profile.date,
  heldOut,
  linear,
  rowBandwidth,
  links,
};
console.log(JSON.stringify({ rows, gates, calibration, foreignTrials }));
