// Operators that only stream memory against the C library's copy of as many bytes.
//
//   npm run bench -- rows [--rounds N] [--threads 1,2]
//
// Trials alternate with copies; one that other processes disturbed is repeated. The last line is
// one JSON object: bandwidths in GB/s, share = bandwidth ÷ that of the copy (read and write both
// counted, as for the operators).
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { rounded, startNative, Trials } from "./peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    threads: { type: "string", default: "1" },
  },
});
const program = startNative("bench-rows");
const trials = new Trials();
const { operators } = await program.ask("list");
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
      `${operator.padEnd(22)} threads ${threads}: ${row.bandwidth} GB/s, ${(100 * row.share).toFixed(0)} % of a copy`,
    );
  }
}
program.close();
console.log(JSON.stringify({ copy, rows, foreignTrials: trials.foreignTrials }));
