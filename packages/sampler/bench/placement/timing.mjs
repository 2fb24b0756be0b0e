import { placementByName } from "@libra/sampler";
import { median, trial } from "../../../../bench/lib/trial.mjs";
import { loadCorpus } from "./corpora.mjs";
import { workloadsOf } from "./workloads.mjs";

const rounds = 5;
const atLeastMs = 200;

/** Wall time of a placement of 512 sequences in pools of 8, strategies alternating round by round. */
export async function timePlacements() {
  const weights = workloadsOf(await loadCorpus("standIn"), 2 ** 17, 512, 0);
  const shape = {
    pools: 16,
    poolSize: 8,
    microSteps: 4,
    sync: "step",
    stages: 1,
    backwardRatio: 2.5,
  };
  const strategies = ["libra", "longestFirst", "karmarkarKarp", "snake"].map((name) => {
    const placement = placementByName(name);
    const run = () => placement.place(weights, shape);
    for (let i = 0; i < 20; i++) run();
    const begun = performance.now();
    for (let i = 0; i < 20; i++) run();
    const calls = Math.max(1, Math.ceil((20 * atLeastMs) / (performance.now() - begun)));
    return { name, run, calls, times: [] };
  });
  let foreignTrials = 0;
  let unclean = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { run, calls, times } of strategies) {
      const result = await trial(() => {
        for (let call = 0; call < calls; call++) run();
      });
      foreignTrials += result.foreignTrials;
      if (result.foreign > 0.05) unclean++;
      times.push(result.wallMs / calls);
    }
  }
  const timings = Object.fromEntries(strategies.map(({ name, times }) => [name, median(times)]));
  return { timings, foreignTrials, unclean };
}
