// Operators that only stream memory, in float32 and bfloat16, against the C library's copy.
//
//   npm run bench -- rows [--rounds N] [--threads 1,2] [--operators rope,swiglu]
//
// --operators: those whose names begin so.
// Trials alternate with copies; one that other processes disturbed is repeated. The last line is
// one JSON object: bandwidths in GB/s, share = bandwidth ÷ that of the copy (read and write both
// counted, as for the operators).
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { rounded, startNative, Trials } from "./peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: "1" },
    operators: { type: "string", default: "" },
  },
});
const program = startNative("bench-rows");
const trials = new Trials();
const wanted = options.operators.split(",");
const operators = (await program.ask("list")).operators.filter(
  (name) => name === "copy" || wanted.some((start) => name.startsWith(start)),
);
/** Least share of the copy's bandwidth. */
const gate = 0.8;
const copy = {};
const rows = [];
for (const threads of options.threads.split(",").map(Number)) {
  const seconds = new Map(operators.map((name) => [name, []]));
  const bytes = new Map();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const name of operators) {
      const trial = await trials.ask(program, `run ${name} ${threads}`);
      seconds.get(name).push(trial.seconds);
      bytes.set(name, trial.bytes);
    }
  }
  const bandwidth = (name) => bytes.get(name) / median(seconds.get(name)) / 1e9;
  copy[threads] = rounded(bandwidth("copy"));
  for (const operator of operators.filter((name) => name !== "copy")) {
    const row = { operator, threads, bandwidth: rounded(bandwidth(operator)) };
    row.share = rounded(bandwidth(operator) / bandwidth("copy"));
    rows.push(row);
    console.log(
      `${operator.padEnd(24)} threads ${threads}: ${row.bandwidth} GB/s, ${(100 * row.share).toFixed(0)} % of a copy`,
    );
  }
}
program.close();
const missed = rows.filter((row) => row.share < gate);
console.log(
  `gate: every operator ≥ ${100 * gate} % of a copy: ` +
    (missed.length === 0
      ? "met"
      : `MISSED by ${missed.map((row) => `${row.operator} (threads ${row.threads})`).join(", ")}`),
);
console.log(JSON.stringify({ copy, rows, gate, foreignTrials: trials.foreignTrials }));
