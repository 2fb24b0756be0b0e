import { annealPools } from "./anneal-pools.js";
import { balanceBins, closeEnough, type Items } from "./balance.js";
import { fillBins, sumBins } from "./bins.js";
import { binLoads, stepBound } from "./objective.js";
import type { Pipeline } from "./pipeline.js";
import { schedulePools } from "./pipeline-order.js";
import { pipelineProfile } from "./pipeline-profile.js";
import { polishPools } from "./polish-pools.js";
import { refineBins } from "./refine.js";
import type { PlacementShape } from "./types.js";

/**
 * Pools meet after a pipeline's last micro-step: the largest 1F1B makespan is what counts. Three
 * ways are tried: equal micro-steps in the best of a few orders; all bins filled to the shares of
 * the best profile; and, for outliers that spoil both, equal pools first and each pool's own
 * sequences then spread over its micro-steps by the profile. The best is polished by swaps inside
 * the slowest pools.
 *
 * @returns slot → item
 */
export function placePipeline(items: Items, shape: PlacementShape): Uint32Array {
  const { pools, microSteps, stages, backwardRatio, poolSize } = shape;
  const { pipeline, shares } = pipelineProfile(microSteps, stages, backwardRatio);
  const candidates = [
    schedulePools(balanceBins(items, pools * microSteps, poolSize), shape, pipeline),
    fillProfile(items, shape, shares),
    splitPools(items, shape, shares),
  ];
  const time = (slots: Uint32Array) =>
    slowest(binLoads(slots, items.weights, shape), pools, pipeline);
  const best = candidates.reduce((a, b) => (time(b) < time(a) ? b : a));
  const polished = polishPools(best, items, shape, pipeline);
  // The best profile at even sums, or what the step's own items allow.
  const least = Math.max(pipeline.makespan(shares), stepBound(items.sorted, shape));
  const goal = (least * closeEnough * items.total) / pools;
  if (time(polished) <= goal) return polished;
  const annealed = annealPools(polished, items, shape, pipeline, goal);
  return polishPools(annealed, items, shape, pipeline);
}

/** The largest makespan of a pool, from loads of bin microStep · pools + pool. */
function slowest(loads: Float64Array, pools: number, pipeline: Pipeline): number {
  const times = new Float64Array(pipeline.microSteps);
  let largest = 0;
  for (let k = 0; k < pools; k++) {
    for (let m = 0; m < times.length; m++) times[m] = loads[m * pools + k]!;
    largest = Math.max(largest, pipeline.makespan(times));
  }
  return largest;
}

function fillProfile(items: Items, shape: PlacementShape, profile: Float64Array): Uint32Array {
  const { pools, microSteps, poolSize } = shape;
  const { order, weights, total, budget } = items;
  const start = new Float64Array(pools * microSteps);
  for (let b = 0; b < start.length; b++) {
    start[b] = (-profile[Math.floor(b / pools)]! * total) / pools;
  }
  const bins = fillBins(order, weights, start.length, poolSize, start);
  refineBins(bins, (total / start.length) * 1e-4, budget);
  return bins.items;
}

function splitPools(items: Items, shape: PlacementShape, profile: Float64Array): Uint32Array {
  const { pools, microSteps, poolSize } = shape;
  const size = poolSize * microSteps;
  const whole = balanceBins(items, pools, size);
  sumBins(whole);
  const slots = new Uint32Array(items.weights.length);
  for (let k = 0; k < pools; k++) {
    const own = whole.items.subarray(k * size, (k + 1) * size);
    const start = profile.map((share) => -share * whole.loads[k]!);
    const bins = fillBins(own, items.weights, microSteps, poolSize, start);
    refineBins(bins, 0, items.budget / pools);
    for (let m = 0; m < microSteps; m++) {
      slots.set(bins.items.subarray(m * poolSize, (m + 1) * poolSize), (m * pools + k) * poolSize);
    }
  }
  return slots;
}
