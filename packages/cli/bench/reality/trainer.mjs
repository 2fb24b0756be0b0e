// Whole training steps: the trainer's own loop on two ranks, with its default model and window.
import { pairsCost } from "@libra/cost-model";
import { secondsOf, simulate, standInLengths } from "@libra/simulator";
import { checkConfig, initialParameters, joinDocuments, train } from "@libra/trainer";
import { watchForeign } from "../../../../bench/lib/trial.mjs";
import { rankRows, row, skewOf } from "./rows.mjs";

const window = 4096;
const sizes = {
  layers: 4,
  hidden: 256,
  queryHeads: 8,
  kvHeads: 2,
  headDim: 64,
  intermediate: 768,
  vocabulary: 4096,
  ropeTheta: 1e6,
  normEpsilon: 1e-6,
  tieWordEmbeddings: false,
};
const lengths = standInLengths({
  documents: 2000,
  median: 160,
  sigma: 1.8,
  longest: window,
  seed: 7,
});
const seed = 3;

// The first steps touch memory for the first time: tiles are of other sizes in every step.
const planners = {
  ulysses: { warmUp: 2, batch: { poolSize: 1, placement: "arrival" }, settings: {} },
  libra: { warmUp: 12, batch: { poolSize: 2, placement: "libra" }, settings: { pool: 2, hops: 1 } },
};

export async function trainerRows(cluster, steps, folder) {
  const rows = [];
  let foreignTrials = 0;
  for (const [planner, options] of Object.entries(planners)) {
    const records = await run(planner, options, steps, folder);
    const simulated = simulateRun(cluster, planner, options, records.length);
    // In arrival order, one replica a pool, the skew tells which documents met in a step.
    requireSameSteps(records, simulateRun(cluster, "ulysses", planners.ulysses, records.length));
    const quiet = records
      .map((record, i) => ({ record, step: simulated.steps[i] }))
      .slice(options.warmUp)
      .filter(({ record }) => record.foreign <= 0.1);
    foreignTrials += steps - quiet.length;
    if (quiet.length === 0) throw new Error(`All ${steps} steps of ${planner} were disturbed`);
    const mean = (pick) => quiet.reduce((sum, each) => sum + pick(each), 0) / quiet.length;
    const predicted = quiet.map(({ step }) =>
      [0, 1].map((rank) => 1e3 * secondsOf(step.account.get("attention", rank))),
    );
    const measured = quiet.map(({ record }) => record.ranks.attention);
    const linear = ({ step }) => 1e3 * secondsOf(step.account.get("linear", 0));
    rows.push(
      row(
        "trainer",
        planner,
        "step",
        mean(({ step }) => 1e3 * secondsOf(step.ticks)),
        mean(({ record }) => record.milliseconds),
      ),
      ...rankRows("trainer", planner, predicted, measured),
      row("trainer", planner, "attention skew", skewOf(predicted), skewOf(measured)),
      row(
        "trainer",
        planner,
        "other operators, rank 0",
        mean(linear),
        mean(({ record }) => record.ranks.other[0]),
      ),
    );
  }
  return { rows, foreignTrials };
}

async function run(planner, { warmUp, batch }, steps, folder) {
  const config = checkConfig(
    {
      name: planner,
      output: folder,
      seed,
      steps: warmUp + steps,
      layout: { dp: 2 },
      batch: { window, ...batch },
      strategy: { planner },
      checkpoint: { overwrite: true },
      runtime: { threads: 1, timeoutMs: 120_000 },
    },
    "the benchmark",
  );
  const records = [];
  let foreign = watchForeign();
  const listener = {
    beforeStep(rank) {
      if (rank === 0) foreign = watchForeign();
    },
    step(record) {
      const share = foreign().foreign;
      records.push({ ...record, foreign: share });
      console.error(
        `trainer: ${planner} step ${record.step}, ${record.milliseconds.toFixed(0)} ms, ${(100 * share).toFixed(0)} % of a core taken by others`,
      );
    },
  };
  const inputs = { config, sizes, documents: documentsOf(), runFolder: folder, corpusFiles: [] };
  await train({ ...inputs, start: { values: initialParameters(sizes, 0), step: 0 } }, listener);
  return records;
}

/** Documents of the lengths, each counting on by its own stride. */
function documentsOf() {
  const { vocabulary } = sizes;
  const parts = Array.from(lengths, (length, d) =>
    Int32Array.from({ length }, (_, i) => (d * 31 + i * (1 + (d % 7))) % vocabulary),
  );
  return { ...joinDocuments(parts), vocabulary };
}

function simulateRun(cluster, planner, { settings }, steps) {
  const { layers, hidden, queryHeads, kvHeads, headDim, intermediate, vocabulary } = sizes;
  const widths = {
    layers,
    hidden,
    queryHeads,
    kvHeads,
    headDim,
    valueDim: headDim,
    ffn: intermediate,
  };
  const rest = { experts: 0, activeExperts: 1, vocab: vocabulary, tiedEmbeddings: false };
  const epsilon = { rmsNormEps: sizes.normEpsilon, ropeTheta: sizes.ropeTheta };
  return simulate({
    model: { name: "the trainer's", ...widths, ...rest, ...epsilon },
    cluster,
    gpus: 2,
    window,
    globalBatch: 2,
    lengths,
    strategy: planner,
    settings: { ...settings, chunks: 4 },
    // What the trainer's planners balance.
    cost: pairsCost(cluster.cost.rowBlock),
    steps,
    seed,
    jitter: 0,
    sharding: "none",
    overlapReduction: false,
    recompute: "none",
    elementBytes: 4,
  });
}

/** Both sides must have drawn the same documents in the same steps. */
function requireSameSteps(records, { steps, arrivalSkew }) {
  const trained = records.reduce((sum, { skewBefore }) => sum + skewBefore, 0) / records.length;
  const same = records.every(({ tokens }, i) => tokens === steps[i].tokens);
  if (same && Math.abs(trained - arrivalSkew) < 1e-9 * trained) return;
  throw new Error(`The simulated steps are not the trained ones: skew ${arrivalSkew}, ${trained}`);
}
