// Does the simulator find what was published about Libra? Strong scaling of a Qwen3-30B-A3B class
// model, three models against WLB-LLM on 256 GPUs, and where Libra brings nothing. Nothing is tuned:
// clusters, models and strategies are the presets at their best settings.
//
//   npm run bench -- paper [scaling] [models] [nothing]
//
// Prints published figures beside ours and why they may differ; the last line is
// {rows: [{experiment, window, dp, quantity, published, ours}]}.

import { seed } from "./paper/corpora.mjs";
import { whereNothing } from "./paper/honest.mjs";
import { againstWlb } from "./paper/models.mjs";
import { scaling } from "./paper/scaling.mjs";

const parts = { scaling, models: againstWlb, nothing: whereNothing };
const wanted = process.argv.slice(2);
for (const name of wanted) {
  if (name in parts) continue;
  console.error(`Unknown part ${name}. Choose from: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}

const began = performance.now();
const log = (line) => {
  const seconds = ((performance.now() - began) / 1000).toFixed(0).padStart(4);
  console.error(`${seconds} s  ${line}`);
};
const rows = [];
for (const [name, run] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) rows.push(...(await run(log)));
}

const round = (value) => (value === null ? "–" : Number(value.toPrecision(4)).toString());
console.log(
  `\nconcatSplit, seed ${seed}; documents: lognormal stand-in unless a corpus is named\n`,
);
const widths = [44, 9, 5, 56, 11];
const line = (cells) => cells.map((cell, i) => String(cell).padEnd(widths[i] ?? 0)).join("");
console.log(line(["experiment", "window", "dp", "quantity", "published", "ours"]));
for (const { experiment, window, dp, quantity, published, ours } of rows) {
  console.log(line([experiment, window ?? "", dp ?? "", quantity, round(published), round(ours)]));
}

console.log(`
Why ours may differ
- Corpus: the published one is not available; the stand-in has its median and 99th percentile.
- Cluster: the publication's devices, network and sharding are not known here; H200 nodes with 400 Gb/s
  InfiniBand cards, expert parallelism 8 (32 for the largest model). Replicas that meet in every
  micro-step (ZeRO-3) wait more than replicas that meet once a step (ZeRO-1): both are shown.
- Libra comes out higher than published: no host overhead, no contention, no congestion, experts evenly
  loaded, and overlap of exchange and kernels costs neither of them speed.
- The largest model needs ZeRO-3 to fit, so its replicas meet in every micro-step; the other two meet once
  a step, where WLB-LLM's even totals count for more.
- WLB-LLM is shown at its best of four settings. With delay it reorders documents over steps, which
  evens out work as well as pools do but changes what a step trains on; without delay it keeps them.
- Pools at 1M stay 7 % apart because one window of the stand-in outweighs a pool in some steps: that is the
  least that any placement could reach.
- The publication does not say what its micro-batch skew divides by: largest ÷ mean and largest ÷
  smallest are both printed; "after" is the largest work of a rank, without time that it spends waiting.`);
console.log(JSON.stringify({ rows }));
