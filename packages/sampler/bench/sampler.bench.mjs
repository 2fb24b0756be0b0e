// How fast is the sampler, and how much memory does it hold? Stand-in corpus (log-normal, median 644,
// σ 2.02, clipped at 2^20), window 128K, pools of 8, sync "step".
//
//   npm run bench -- sampler
//
// Every figure is the median of trials that other processes did not disturb; a disturbed trial is
// repeated and counted in foreignTrials. Karmarkar–Karp gets the same steps for comparison.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createSampler, placementByName } from "@libra/sampler";
import { median, trial } from "../../../bench/lib/trial.mjs";
import { lognormal } from "./placement/corpora.mjs";

const window = 2 ** 17;
const poolSize = 8;
let foreignTrials = 0;
let unclean = 0;

/** Median milliseconds of one call, by trials of enough calls to last longer than the clock's tick. */
async function milliseconds(run, { rounds = 5, atLeastMs = 150 } = {}) {
  run();
  const begun = performance.now();
  run();
  const calls = Math.max(1, Math.ceil(atLeastMs / (performance.now() - begun)));
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const result = await trial(() => {
      for (let call = 0; call < calls; call++) run();
    });
    foreignTrials += result.foreignTrials;
    if (result.foreign > 0.05) unclean++;
    times.push(result.wallMs / calls);
  }
  return median(times);
}

/** The packing alone: an epoch of it without the shuffle, which `order` is too. */
async function packSeconds(lengths, packing) {
  let epoch = 0;
  const sampler = createSampler({ lengths, window, dp: 1, packing, shuffle: false });
  // Every epoch is packed anew; without a shuffle nothing else happens.
  return (await milliseconds(() => sampler.plan(++epoch, 0))) / 1000;
}

const million = lognormal(1_000_000, 644, 2.02, 2);
const results = {};
results.concatSplit1MSeconds = await packSeconds(million, "concatSplit");
results.bestFit1MSeconds = await packSeconds(million, "bestFit");
results.bestFitRatio =
  results.bestFit1MSeconds / (await packSeconds(million.subarray(0, 100_000), "bestFit"));
const shuffled = createSampler({ lengths: million, window, dp: 1 });
let epoch = 0;
results.shuffleAndPack1MSeconds = (await milliseconds(() => shuffled.plan(++epoch, 0))) / 1000;

async function stepPlan(lengths, dp, sync, placement = "libra") {
  const stages = sync === "pipeline" ? 4 : 1;
  const options = { lengths, window, dp, microSteps: 4, poolSize, sync, stages, placement };
  const sampler = createSampler(options);
  const steps = Math.min(16, sampler.stepsPerEpoch);
  let step = 0;
  return milliseconds(() => sampler.plan(0, step++ % steps));
}
const large = lognormal(8_000_000, 644, 2.02, 3);
results.stepPlan128Milliseconds = await stepPlan(large, 128, "step");
results.stepPlan4096Milliseconds = await stepPlan(large, 4096, "step");
for (const sync of ["microStep", "pipeline"]) {
  results[`${sync}Plan128Milliseconds`] = await stepPlan(large, 128, sync);
  results[`${sync}Plan4096Milliseconds`] = await stepPlan(large, 4096, sync);
}
results.karmarkarKarp128Milliseconds = await stepPlan(large, 128, "step", "karmarkarKarp");
results.karmarkarKarp4096Milliseconds = await stepPlan(large, 4096, "step", "karmarkarKarp");
results.placements = {};
for (const dp of [128, 4096]) {
  const options = { lengths: large, window, dp, microSteps: 4, poolSize, placement: "arrival" };
  const { workload, bound } = createSampler(options).next();
  const shape = {
    pools: dp / poolSize,
    poolSize,
    microSteps: 4,
    sync: "step",
    stages: 1,
    backwardRatio: 2.5,
  };
  for (const name of ["libra", "karmarkarKarp"]) {
    const placement = placementByName(name);
    const ms = await milliseconds(() => placement.place(workload, shape), { rounds: 3 });
    const { stepSkew } = createSampler({ ...options, placement: name }).next();
    results.placements[`${name}${dp}`] = { milliseconds: ms, stepSkew, bound };
  }
}

const state = JSON.parse(JSON.stringify(shuffled.state()));
const far = { ...state, epoch: 7, step: 30_000, cursor: 30_000 };
let turn = 0;
results.restoreMilliseconds = await milliseconds(() => shuffled.restore(turn++ % 2 ? far : state));

const memory = fileURLToPath(new URL("./sampler/memory.mjs", import.meta.url));
const measured = spawnSync(process.execPath, ["--expose-gc", memory], { encoding: "utf8" });
if (measured.status !== 0) throw new Error(measured.stderr);
results.bytesPerDocument = Number(measured.stdout);

const gates = {
  concatSplit1MSeconds: 0.05,
  bestFit1MSeconds: 2,
  bestFitRatio: 15,
  stepPlan128Milliseconds: 2,
  stepPlan4096Milliseconds: 60,
  restoreMilliseconds: 1,
  bytesPerDocument: 16,
};
for (const [name, most] of Object.entries(gates)) {
  const verdict = results[name] <= most ? "met" : "NOT met";
  console.log(
    `${name.padEnd(26)} ${results[name].toPrecision(4).padStart(10)}   at most ${most}: ${verdict}`,
  );
}
if (unclean > 0) console.log(`${unclean} figures rest on a trial that no attempt kept undisturbed`);
console.log(JSON.stringify({ ...results, foreignTrials, unclean }));
