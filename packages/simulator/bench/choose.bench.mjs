// The figures of docs/guides/choose.md: which pool size, when P = 1 is enough, when Libra does not
// help, what the network has to give. Qwen3-8B, H100 nodes with InfiniBand, stand-in corpus.
//
//   npm run bench -- choose
//
// The last line is {rows: [{question, case, strategy, pool, speed, waits, exchange, utilisation}]};
// speed is over Ulysses in arrival order of the same case.
import {
  clusterByName,
  compare,
  gainByWindow,
  presetModel,
  simulate,
  standInLengths,
} from "@libra/simulator";

const seed = 7;
const base = {
  model: presetModel("qwen3-8b"),
  cluster: clusterByName("h100-ib"),
  gpus: 128,
  cp: 8,
  window: 2 ** 18,
  globalBatch: 32,
  lengths: standInLengths({ documents: 400_000, seed }),
  seed,
  steps: 4,
  strategies: ["ulysses", "libra"],
};

const rows = [];
const percent = (share) => `${(100 * share).toFixed(1)} %`.padStart(7);

function ask(question, title, options) {
  const { rows: found } = compare({ ...base, ...options });
  const plain = found.find((row) => row.strategy === "ulysses");
  for (const row of found) {
    const { workers, pools, exchange } = row.breakdown;
    const figures = {
      question,
      case: title,
      strategy: row.strategy,
      pool: row.settings.pool ?? null,
      speed: row.utilisation / plain.utilisation,
      waits: (workers + pools) / row.seconds,
      exchange: exchange / row.seconds,
      utilisation: row.utilisation,
    };
    rows.push(figures);
    const name = row.strategy === "libra" ? `libra P ${figures.pool}` : row.strategy;
    console.log(
      `${title.padEnd(26)}${name.padEnd(14)}${figures.speed.toFixed(2)} ×  waits ${percent(figures.waits)}  exchange ${percent(figures.exchange)}  MFU ${percent(figures.utilisation)}`,
    );
  }
}

const pools = (...sizes) => ({ candidates: { pools: sizes } });

console.log("How many micro-steps make P = 1 enough? dp 16, replicas meet once a step");
for (const microSteps of [1, 2, 4, 8, 16]) {
  const globalBatch = 16 * microSteps;
  ask("micro-steps", `${microSteps} micro-steps`, { globalBatch, ...pools(1, 2, 4, 8, 16) });
}
console.log("\nReplicas meet in every micro-step (ZeRO-3), 8 of them");
ask("meeting", "ZeRO-3", { globalBatch: 128, sharding: "zero3", ...pools(1, 2, 4, 8, 16) });
console.log("\nMore replicas, 2 micro-steps");
for (const dp of [4, 8, 16, 32, 64]) {
  const sizes = [1, 4, 8].filter((size) => dp % size === 0);
  ask("replicas", `dp ${dp}`, { gpus: 8 * dp, globalBatch: 2 * dp, ...pools(...sizes) });
}
console.log("\nNetworks, dp 16, 2 micro-steps");
const half = { ...clusterByName("h100-ib"), cardsPerNode: 4 };
const quarter = { ...clusterByName("h100-ib"), cardsPerNode: 2 };
for (const [title, cluster] of [
  ["8 cards a node", base.cluster],
  ["4 cards a node", half],
  ["2 cards a node", quarter],
  ["A100, 200 Gb/s", clusterByName("a100-ib")],
  ["B200, 400 Gb/s", clusterByName("b200-ib")],
]) {
  ask("network", title, { cluster, ...pools(1, 2, 4, 8) });
}
console.log("\nHops and chunks, P 8");
for (const hops of [1, 2]) {
  for (const chunks of [1, 2, 4, 8, 16]) {
    const { strategies: _, ...scenario } = base;
    const settings = { pool: 8, hops, chunks };
    const row = simulate({ ...scenario, strategy: "libra", settings });
    const exchange = row.breakdown.exchange / row.seconds;
    const title = `${hops} hops, ${chunks} chunks`;
    rows.push({
      question: "exchange",
      case: title,
      strategy: "libra",
      pool: 8,
      speed: null,
      waits: (row.breakdown.workers + row.breakdown.pools) / row.seconds,
      exchange,
      utilisation: row.utilisation,
    });
    console.log(
      `${title.padEnd(26)}exchange ${percent(exchange)}  MFU ${percent(row.utilisation)}`,
    );
  }
}
console.log("\nAll strategies at their best, 2 micro-steps");
for (const dp of [16, 64]) {
  ask("strategies", `dp ${dp}`, {
    gpus: 8 * dp,
    globalBatch: 2 * dp,
    strategies: ["ulysses", "perDocument", "wlb", "hybridCp", "distca", "libra"],
    ...pools(4, 8),
  });
}
console.log("\nModels, dp 16, 2 micro-steps");
for (const [name, expertParallel] of [
  ["qwen3-8b", 1],
  ["qwen3-30b-a3b", 8],
]) {
  const cluster = clusterByName("h200-ib");
  ask("models", name, { model: presetModel(name), cluster, expertParallel, ...pools(1, 8) });
}
console.log("\nShorter windows: Libra at its best over plain packing and over WLB-LLM");
for (const { window, cp, dp, overPlain, overWlb, libra } of gainByWindow(base)) {
  rows.push({
    question: "windows",
    case: `window ${window}`,
    strategy: "libra",
    pool: libra.settings.pool,
    speed: overPlain,
    waits: null,
    exchange: null,
    utilisation: libra.utilisation,
  });
  console.log(
    `window ${window}, cp ${cp}, dp ${dp}: ${overPlain.toFixed(2)} × ulysses, ${overWlb.toFixed(2)} × wlb, P ${libra.settings.pool}`,
  );
}
console.log(JSON.stringify({ rows }));
