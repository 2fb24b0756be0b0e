// Strong scaling of a Qwen3-30B-A3B class model: the global batch stays, replicas grow from 1 to 16,
// pools of min(8, dp). Published: efficiency at dp 16, speed-up of Libra over Ulysses there, skew of
// micro-batches and imbalance between pools, in both cases Ulysses -> Libra.
import { createSampler } from "@libra/sampler";
import { clusterByName, compare, presetModel } from "@libra/simulator";
import { seed, standIn } from "./corpora.mjs";

const setups = [
  {
    window: 2 ** 18,
    cp: 8,
    globalBatch: 128,
    published: {
      efficiency: [0.477, 0.854],
      speedup: 1.79,
      microBatchSkew: [6.98, 2.63],
      poolImbalance: [1.08, 0.005],
    },
  },
  {
    window: 2 ** 20,
    cp: 16,
    globalBatch: 32,
    published: {
      efficiency: [0.276, 0.703],
      speedup: 2.54,
      microBatchSkew: [23.1, 1.57],
      poolImbalance: [0.52, 0.007],
    },
  },
];
const replicas = [1, 2, 4, 8, 16];
const steps = 4;

// Where replicas meet decides how much imbalance costs; the publication does not say, so both.
const syncs = {
  "meeting every micro-step (ZeRO-3)": { sharding: "zero3" },
  "meeting every step (ZeRO-1)": { sharding: "zero1" },
};

/** Rows of the experiment; `log` gets one line per simulation. */
export function scaling(log) {
  const rows = [];
  for (const { published, ...setup } of setups) {
    for (const [sync, sharding] of Object.entries(syncs)) {
      const experiment = `scaling, ${sync}`;
      const add = (dp, quantity, ours, figure = null) =>
        rows.push({ experiment, window: setup.window, dp, quantity, published: figure, ours });
      const speeds = { ulysses: [], libra: [] };
      for (const dp of replicas) {
        const title = `${experiment}: window ${setup.window}, dp ${dp}`;
        const onProgress = (done, total, what) => log(`${title}: ${done} of ${total}, ${what}`);
        const found = atReplicas(setup, sharding, dp, onProgress);
        for (const strategy of ["ulysses", "libra"]) {
          const row = found[strategy];
          speeds[strategy].push(row.tokensPerSecond);
          const efficiency = row.tokensPerSecond / dp / speeds[strategy][0];
          const last = dp === replicas.at(-1);
          const figure = last ? published.efficiency[strategy === "ulysses" ? 0 : 1] : null;
          add(dp, `scaling efficiency, ${strategy}`, efficiency, figure);
          log(`${title}, ${strategy} ${efficiency.toFixed(3)}`);
        }
        const speedup = found.libra.tokensPerSecond / found.ulysses.tokensPerSecond;
        add(dp, "speed-up of libra over ulysses", speedup, dp === 16 ? published.speedup : null);
        if (dp < replicas.at(-1)) continue;
        add(
          dp,
          "micro-batch skew after, largest ÷ mean work of a rank",
          found.libra.workerSkew,
          published.microBatchSkew[1],
        );
        add(
          dp,
          "share of the libra step that is exchange",
          found.libra.breakdown.exchange / found.libra.seconds,
        );
      }
    }
    rows.push(...imbalance(setup, published));
  }
  return rows;
}

function atReplicas({ window, cp, globalBatch }, sharding, dp, onProgress) {
  const pool = Math.min(8, dp);
  const { rows } = compare({
    ...sharding,
    model: presetModel("qwen3-30b-a3b"),
    cluster: clusterByName("h200-ib"),
    gpus: dp * cp,
    cp,
    window,
    globalBatch,
    expertParallel: 8,
    lengths: standIn,
    seed,
    steps,
    strategies: ["ulysses", "libra"],
    candidates: { pools: [pool] },
    onProgress,
  });
  return Object.fromEntries(rows.map((row) => [row.strategy, row]));
}

// Over the micro-batches (packed sequences) of one step and the bins of P of them that placement
// fills, mean over steps: the global batch as one micro-step of as many replicas, since a bin is a bin
// whichever micro-step runs it.
function imbalance({ window, globalBatch }, published) {
  const poolSize = 8;
  const measure = (placement) => {
    const sampler = createSampler({
      lengths: standIn,
      window,
      dp: globalBatch,
      poolSize,
      placement,
      seed,
    });
    const sums = { overMean: 0, overMin: 0, pools: 0, bound: 0 };
    for (let step = 0; step < steps; step++) {
      const { workload, bound } = sampler.next();
      const pools = Float64Array.from({ length: workload.length / poolSize }, (_, bin) =>
        workload.subarray(bin * poolSize, (bin + 1) * poolSize).reduce((a, b) => a + b),
      );
      sums.overMean += skew(workload) / steps;
      sums.overMin += Math.max(...workload) / Math.min(...workload) / steps;
      sums.pools += (skew(pools) - 1) / steps;
      sums.bound += (bound - 1) / steps;
    }
    return sums;
  };
  const before = measure("arrival");
  const after = measure("libra");
  const [skewBefore] = published.microBatchSkew;
  const [poolsBefore, poolsAfter] = published.poolImbalance;
  return [
    ["micro-batch skew before, largest ÷ mean", skewBefore, before.overMean],
    ["micro-batch skew before, largest ÷ smallest", skewBefore, before.overMin],
    ["imbalance between pools before, largest ÷ mean − 1", poolsBefore, before.pools],
    ["imbalance between pools after, largest ÷ mean − 1", poolsAfter, after.pools],
    ["imbalance between pools, least possible − 1", null, after.bound],
  ].map(([quantity, figure, ours]) => ({
    experiment: "balance of one step's work",
    window,
    dp: 16,
    quantity,
    published: figure,
    ours,
  }));
}

function skew(values) {
  return (Math.max(...values) * values.length) / values.reduce((a, b) => a + b, 0);
}
