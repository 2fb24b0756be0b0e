// Three models on 256 GPUs, Libra against WLB-LLM with fixed and variable window, with and without
// delay, and against the best of the four. Published: 44 % more throughput on average, 68 % at best.
import { clusterByName, compare, presetModel } from "@libra/simulator";
import { seed, standIn } from "./corpora.mjs";

const models = [
  { name: "qwen3-8b", expertParallel: 1, sharding: "zero1" },
  { name: "qwen3-30b-a3b", expertParallel: 8, sharding: "zero1" },
  // With ZeRO-1 the largest does not fit 256 H200.
  { name: "qwen3-235b-a22b", expertParallel: 32, sharding: "zero3" },
];
const setups = [
  { window: 2 ** 18, cp: 8, globalBatch: 128 },
  { window: 2 ** 20, cp: 16, globalBatch: 32 },
];
const gpus = 256;

/** Rows of the experiment; `log` gets one line per model and window. */
export function againstWlb(log) {
  const rows = [];
  const gains = [];
  // Over the variants that keep a step's documents in it, as Libra does.
  const kept = [];
  for (const { name, expertParallel, sharding } of models) {
    for (const setup of setups) {
      const dp = gpus / setup.cp;
      const title = `256 GPUs: ${name}, window ${setup.window}`;
      const { rows: found, tried } = compare({
        ...setup,
        model: presetModel(name),
        cluster: clusterByName("h200-ib"),
        gpus,
        expertParallel,
        sharding,
        lengths: standIn,
        seed,
        steps: 4,
        strategies: ["ulysses", "wlb", "libra"],
        candidates: { pools: [1, 2, 4, 8] },
        onProgress: (done, total, what) => log(`${title}: ${done} of ${total}, ${what}`),
      });
      const of = (strategy) =>
        found
          .filter((row) => row.strategy === strategy)
          .reduce((best, row) => (row.utilisation > best.utilisation ? row : best));
      const add = (quantity, ours) =>
        rows.push({
          experiment: `256 GPUs, ${name}`,
          window: setup.window,
          dp,
          quantity,
          published: null,
          ours,
        });
      // Steps of WLB-LLM hold other documents: model FLOPs per second compare, seconds do not.
      const gain = of("libra").utilisation / of("wlb").utilisation - 1;
      gains.push(gain);
      add("gain of libra over wlb, the best of four", gain);
      for (const row of tried.filter(({ strategy }) => strategy === "wlb")) {
        const { cap, delay } = row.settings;
        const kind = `${cap === 1 ? "fixed" : "variable"} window, ${delay ? "delay" : "no delay"}`;
        const over = of("libra").utilisation / row.utilisation - 1;
        add(`gain of libra over wlb, ${kind}`, over);
        if (!delay) kept.push(over);
      }
      add("speed-up of libra over ulysses", of("libra").utilisation / of("ulysses").utilisation);
      add("pool size of libra", of("libra").settings.pool);
      add("delayed documents of wlb per step", of("wlb").delayedDocuments);
      add("memory of the fullest rank with libra, GB", of("libra").memory.total / 1e9);
      const settings = JSON.stringify(of("wlb").settings);
      log(`${title}: ${(100 * gain).toFixed(1)} % over wlb ${settings}`);
    }
  }
  const summary = (quantity, published, ours) => ({
    experiment: "256 GPUs, three models",
    window: null,
    dp: null,
    quantity,
    published,
    ours,
  });
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  rows.push(
    summary("mean gain over wlb, the best of four", 0.44, mean(gains)),
    summary("best gain over wlb, the best of four", 0.68, Math.max(...gains)),
    summary("mean gain over wlb without delay", 0.44, mean(kept)),
    summary("best gain over wlb without delay", 0.68, Math.max(...kept)),
  );
  return rows;
}
