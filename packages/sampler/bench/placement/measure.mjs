import { createSampler, measurePlacement, placementByName } from "@libra/sampler";

export const stages = 4;

/** Skews of one strategy over `steps` steps of the given workloads. */
export function measure(configuration, strategy, workloads, steps) {
  const { dp, pool, sync, microSteps } = configuration;
  const placement = placementByName(strategy);
  const shape = shapeOf(dp, pool, sync, microSteps);
  const slots = dp * microSteps;
  const skews = [];
  let bound = 0;
  const begun = process.cpuUsage();
  const tables = [];
  for (let step = 0; step < steps; step++) {
    tables.push(placement.place(workloads.slice(step * slots, (step + 1) * slots), shape));
  }
  const { user, system } = process.cpuUsage(begun);
  for (const [step, table] of tables.entries()) {
    const weights = workloads.slice(step * slots, (step + 1) * slots);
    const measured = measurePlacement(table, weights, shape);
    skews.push(measured.stepSkew);
    bound += measured.bound / steps;
  }
  return rowOf(configuration, strategy, skews, bound, (user + system) / 1000 / steps);
}

const wlbRuns = new Map();

/**
 * WLB-LLM repacks documents, so it runs on the corpus itself; after as many steps as its queues need
 * to fill. What it packs does not depend on pools and sync, so one run serves them all.
 */
export function measureWlb(configuration, lengths, steps) {
  const { data, window, dp, pool, sync, microSteps } = configuration;
  const key = `${data} ${window} ${dp} ${microSteps}`;
  if (!wlbRuns.has(key)) {
    wlbRuns.clear();
    wlbRuns.set(key, runWlb(lengths, window, dp, microSteps, steps));
  }
  const { workloads, milliseconds } = wlbRuns.get(key);
  const shape = shapeOf(dp, pool, sync, microSteps);
  const slots = Uint32Array.from({ length: dp * microSteps }, (_, i) => i);
  const measured = workloads.map((weights) => measurePlacement(slots, weights, shape));
  const bound = measured.reduce((sum, one) => sum + one.bound / measured.length, 0);
  const skews = measured.map(({ stepSkew }) => stepSkew);
  return rowOf(configuration, "wlb", skews, bound, milliseconds);
}

function runWlb(lengths, window, dp, microSteps, steps) {
  const sampler = createSampler({
    lengths,
    window,
    dp,
    microSteps,
    placement: "wlb",
    dropLast: false,
  });
  const warmUp = 3;
  for (let step = 0; step < warmUp; step++) sampler.next();
  const begun = process.cpuUsage();
  const workloads = Array.from({ length: steps }, () => sampler.next().workload);
  const { user, system } = process.cpuUsage(begun);
  return { workloads, milliseconds: (user + system) / 1000 / steps };
}

function shapeOf(dp, pool, sync, microSteps) {
  const pipelined = sync === "pipeline" ? stages : 1;
  return {
    pools: dp / pool,
    poolSize: pool,
    microSteps,
    sync,
    stages: pipelined,
    backwardRatio: 2.5,
  };
}

function rowOf(configuration, strategy, skews, bound, milliseconds) {
  const sorted = [...skews].sort((a, b) => a - b);
  const at = 0.95 * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  const p95 = sorted[low] + (sorted[high] - sorted[low]) * (at - low);
  const mean = sorted.reduce((sum, skew) => sum + skew / sorted.length, 0);
  return {
    ...configuration,
    strategy,
    skew: round(mean),
    p95: round(p95),
    worst: round(sorted.at(-1)),
    bound: round(bound),
    milliseconds: Number(milliseconds.toPrecision(3)),
  };
}

const round = (value) => Number(value.toFixed(6));
