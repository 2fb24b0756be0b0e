// Linear layers of Qwen3-8B's shapes, forward and both gradients, against the machine's measured
// peak and against oneDNN where the build found it (Debian: libdnnl-dev).
//
//   npm run bench -- linear [--rounds N] [--threads 1,2] [--tokens 1024,8192] [--dtype float32]
//
// Trials of both alternate; one that other processes disturbed is repeated. The last line is one
// JSON object; dnnlRatio is oneDNN's time over ours.
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { rounded, startNative, Trials } from "./peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: "1" },
    tokens: { type: "string", default: "1024" },
    dtype: { type: "string", default: "float32" },
  },
});
const numbers = (text) => text.split(",").map(Number);
/** Inputs and outputs of one layer: q and o, k or v, gate or up, down. */
const layers = [
  [4096, 4096],
  [4096, 1024],
  [4096, 12288],
  [12288, 4096],
];
const program = startNative("bench-linear");
const trials = new Trials();
const { dnnl } = await program.ask("has");
const rows = [];
const peak = { fp32: 0, bf16: 0 };
for (const threads of numbers(options.threads)) {
  for (const dtype of options.dtype.split(",")) {
    for (const tokens of numbers(options.tokens)) {
      for (const [inputs, outputs] of layers) {
        for (const pass of ["forward", "input", "weight"]) {
          const shape = `${dtype} ${pass} ${tokens} ${inputs} ${outputs} ${threads}`;
          const own = [];
          const other = [];
          let flops = 0;
          let rowPeak = 0;
          for (let round = 0; round < Number(options.rounds); round += 1) {
            const peaks = await trials.ask(program, `peak ${threads}`);
            rowPeak = Math.max(rowPeak, dtype === "float32" ? peaks.fp32 : peaks.bf16);
            peak.fp32 = Math.max(peak.fp32, peaks.fp32 / threads);
            peak.bf16 = Math.max(peak.bf16, peaks.bf16 / threads);
            const trial = await trials.ask(program, `run libra ${shape}`);
            flops = trial.flops;
            own.push(trial.seconds);
            if (dnnl) other.push((await trials.ask(program, `run dnnl ${shape}`)).seconds);
          }
          const gflops = flops / median(own) / 1e9;
          const row = {
            ...{ dtype, pass, tokens, inputs, outputs, threads },
            gflops: rounded(gflops),
            share: rounded(gflops / rowPeak),
            dnnlRatio: dnnl ? rounded(median(other) / median(own)) : null,
          };
          rows.push(row);
          console.log(
            `${dtype} ${pass.padEnd(7)} ${tokens} × ${inputs} → ${outputs}, threads ${threads}: ` +
              `${row.gflops} GFLOP/s, ${(100 * row.share).toFixed(1)} % of peak` +
              (dnnl ? `, ${row.dnnlRatio} × oneDNN` : ""),
          );
        }
      }
    }
  }
}
program.close();
console.log(
  JSON.stringify({
    peak: { fp32: rounded(peak.fp32), bf16: peak.bf16 === 0 ? null : rounded(peak.bf16) },
    rows,
    foreignTrials: trials.foreignTrials,
  }),
);
