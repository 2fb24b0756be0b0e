// Attention on the CPU against the machine's measured peak, and against PyTorch's CPU kernel when
// LIBRA_TORCH_PYTHON names a Python that has it (for several documents: its loop over them).
//
//   npm run bench -- attention [--rounds N] [--threads 1,2] [--dtype float32,bfloat16]
//
// Trials of both programs alternate; one that other processes disturbed is repeated. The last line
// is one JSON object; gflops counts causal pairs (backward = 2.5 × forward), share is against the
// peak of the row's dtype and threads measured beside its trials.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../../../bench/lib/trial.mjs";
import { gatesOf } from "./attention-gates.mjs";
import { rounded, startNative, startPeer, Trials } from "./peers/start.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: "1,2" },
    dtype: { type: "string", default: "float32,bfloat16" },
  },
});
const libra = startNative("bench-attention");
const python = process.env.LIBRA_TORCH_PYTHON;
const torchScript = fileURLToPath(new URL("./peers/torch_attention.py", import.meta.url));
const torch = python ? startPeer(python, [torchScript]) : undefined;
const trials = new Trials();

const shapes = [
  { lengths: [2048], queryHeads: 8, kvHeads: 8, headDim: 128 },
  { lengths: [8192], queryHeads: 2, kvHeads: 2, headDim: 128 },
  { lengths: [1024, 256, 2048, 512, 128, 128], queryHeads: 8, kvHeads: 2, headDim: 128 },
];
const passesOf = {
  float32: ["forward", "forward+backward"],
  bfloat16: ["forward", "backward", "forward+backward"],
};
const best = (values) => Math.min(...values);
const peak = { fp32: 0, bf16: 0 };

async function measure(dtype, pass, shape, threads) {
  const { lengths, queryHeads, kvHeads, headDim } = shape;
  const request = `run ${dtype} ${pass} ${lengths} ${queryHeads} ${kvHeads} ${headDim} ${threads}`;
  const own = [];
  const peaks = [];
  const other = [];
  let flops = 0;
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const { fp32, bf16 } = await trials.ask(libra, `peak ${threads}`);
    peak.fp32 = Math.max(peak.fp32, fp32 / threads);
    peak.bf16 = Math.max(peak.bf16, bf16 / threads);
    // Without products of pairs, bfloat16 runs at the speed of float32.
    peaks.push(dtype === "float32" || bf16 === 0 ? fp32 : bf16);
    const trial = await trials.ask(libra, request);
    flops = trial.flops;
    own.push(trial.seconds);
    if (torch !== undefined) other.push((await trials.ask(torch, request)).seconds);
  }
  const gflops = flops / median(own) / 1e9;
  return {
    dtype,
    pass,
    length: lengths.reduce((sum, n) => sum + n, 0),
    ...(lengths.length === 1 ? {} : { lengths }),
    queryHeads,
    kvHeads,
    headDim,
    threads,
    gflops: rounded(gflops),
    share: rounded(median(own.map((seconds, i) => flops / seconds / 1e9 / peaks[i]))),
    bestShare: rounded(flops / best(own) / 1e9 / Math.max(...peaks)),
    torchRatio: torch === undefined ? null : rounded(median(other) / median(own)),
  };
}

function print(row) {
  const lengths = String(row.lengths ?? row.length);
  const ratio = row.torchRatio === null ? "" : `, ${row.torchRatio} × torch`;
  console.log(
    `${row.dtype} ${row.pass.padEnd(16)} ${lengths.padEnd(28)} heads ${row.queryHeads}/${row.kvHeads} ` +
      `threads ${row.threads}: ${row.gflops} GFLOP/s, ${(100 * row.share).toFixed(1)} % of peak${ratio}`,
  );
  for (const { measure, least, value, kept } of row.gates) {
    console.log(`  ${measure} ${value}, at least ${least}: ${kept ? "kept" : "NOT KEPT"}`);
  }
}

const rows = [];
for (const threads of options.threads.split(",").map(Number)) {
  for (const dtype of options.dtype.split(",")) {
    for (const shape of shapes) {
      for (const pass of passesOf[dtype]) {
        const row = await measure(dtype, pass, shape, threads);
        rows.push({ ...row, gates: gatesOf(row) });
        print(rows.at(-1));
      }
    }
  }
}
libra.close();
torch?.close();
const judged = rows.flatMap((row) => row.gates);
console.log(
  JSON.stringify({
    peak: { fp32: rounded(peak.fp32), bf16: peak.bf16 === 0 ? null : rounded(peak.bf16) },
    rows,
    gates: { kept: judged.filter(({ kept }) => kept).length, of: judged.length },
    foreignTrials: trials.foreignTrials,
    unclean: trials.unclean,
  }),
);
