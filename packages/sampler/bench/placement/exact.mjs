import { readFileSync } from "node:fs";
import { libraPlacement, measurePlacement } from "@libra/sampler";
import { hasDataFolder, loadCorpus } from "./corpora.mjs";
import { workloadsOf } from "./workloads.mjs";

/** Compares libra with the committed exact optima. */
export async function checkExact() {
  const file = new URL("../../test/fixtures/exact-optimum.json", import.meta.url);
  const { problems } = JSON.parse(readFileSync(file, "utf8"));
  const result = { checked: 0, within: 0, skipped: 0, worst: 0 };
  for (const { optimum, workloads, data, window, seed, ...shape } of problems) {
    if (!workloads && !hasDataFolder()) {
      result.skipped++;
      continue;
    }
    const { pools, poolSize, microSteps } = shape;
    const weights = workloads
      ? Float64Array.from(workloads)
      : workloadsOf(await loadCorpus(data), window, pools * poolSize * microSteps, seed);
    const full = { ...shape, stages: 1, backwardRatio: 2.5 };
    const slots = libraPlacement().place(weights, full);
    const excess = measurePlacement(slots, weights, full).stepSkew / optimum - 1;
    result.checked++;
    if (excess <= 0.001) result.within++;
    result.worst = Math.max(result.worst, Number(excess.toFixed(6)));
  }
  return result;
}
