// Linear layers of Qwen3's shapes, forward and both gradients, against the machine's measured peak
// and against oneDNN where the build found it (Debian: libdnnl-dev).
//
//   npm run bench -- linear [--rounds N] [--threads 1,2] [--dtype float32,bfloat16]
//                           [--shapes TOKENSxINPUTSxOUTPUTS,…]
//
// Trials of both alternate; one that other processes disturbed is repeated. The last line is one
// JSON object; ratio is oneDNN's time over ours, share is against the peak of the row's threads
// measured beside its trials.
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { rounded, startNative, Trials } from "./peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: "1" },
    dtype: { type: "string", default: "float32,bfloat16" },
    // Hidden sizes 512 and 1024: gate or up; 4096: k or v, q or o; 1024: down of a long batch.
    shapes: {
      type: "string",
      default: "8192x512x1536,4096x1024x3072,1024x4096x1024,1024x4096x4096,8192x3072x1024",
    },
  },
});
/** Least ratio to oneDNN. */
const gates = { float32: 0.9, bfloat16: 0.8 };
const program = startNative("bench-linear");
const trials = new Trials();
const { dnnl } = await program.ask("has");
const peak = { fp32: 0, bf16: 0 };

/** One row: a layer's pass, its speed and its ratio to the peer. */
async function measure(dtype, threads, [tokens, inputs, outputs], pass) {
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
  return {
    ...{ dtype, pass, tokens, inputs, outputs, threads },
    gflops: rounded(gflops),
    share: rowPeak === 0 ? null : rounded(gflops / rowPeak),
    ratio: dnnl ? rounded(median(other) / median(own)) : null,
  };
}

const rows = [];
for (const threads of options.threads.split(",").map(Number)) {
  for (const dtype of options.dtype.split(",")) {
    for (const shape of options.shapes.split(",")) {
      for (const pass of ["forward", "input", "weight"]) {
        const row = await measure(dtype, threads, shape.split("x").map(Number), pass);
        rows.push(row);
        console.log(
          `${dtype.padEnd(8)} ${pass.padEnd(7)} ${row.tokens} × ${row.inputs} → ${row.outputs}, threads ${threads}: ` +
            `${row.gflops} GFLOP/s` +
            (row.share === null ? "" : `, ${(100 * row.share).toFixed(1)} % of peak`) +
            (row.ratio === null ? "" : `, ${row.ratio} × oneDNN`),
        );
      }
    }
  }
}
program.close();
for (const dtype of options.dtype.split(",")) {
  if (!dnnl) break;
  const worst = Math.min(...rows.filter((row) => row.dtype === dtype).map((row) => row.ratio));
  const verdict = worst >= gates[dtype] ? "met" : "MISSED";
  console.log(`gate ${dtype} ≥ ${gates[dtype]} × oneDNN: worst ${worst}, ${verdict}`);
}
if (!dnnl) console.log("oneDNN is not in this build (Debian: libdnnl-dev): no ratios");
console.log(
  JSON.stringify({
    peak: { fp32: rounded(peak.fp32), bf16: peak.bf16 === 0 ? null : rounded(peak.bf16) },
    rows,
    gates,
    foreignTrials: trials.foreignTrials,
  }),
);
