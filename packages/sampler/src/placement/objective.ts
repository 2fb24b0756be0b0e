import { equalSizeBound } from "./bound.js";
import { Pipeline } from "./pipeline.js";
import { pipelineProfile } from "./pipeline-profile.js";
import type { PlacementShape } from "./types.js";

/** Workload of each bin (microStep · pools + pool) under a table slot → item. */
export function binLoads(
  slots: Uint32Array,
  weights: Float64Array,
  shape: PlacementShape,
): Float64Array {
  const { pools, poolSize, microSteps } = shape;
  const loads = new Float64Array(pools * microSteps);
  for (let bin = 0, slot = 0; bin < loads.length; bin++) {
    let load = 0;
    for (let r = 0; r < poolSize; r++) load += weights[slots[slot++]!]!;
    loads[bin] = load;
  }
  return loads;
}

/**
 * What a step takes, in planning cost units of one pool: `step`: the largest sum of a pool;
 * `microStep`: the sum over micro-steps of the largest pool; `pipeline`: the largest 1F1B makespan.
 *
 * @param loads - workload of bin microStep · pools + pool
 */
export function stepTime(loads: Float64Array, shape: PlacementShape): number {
  const { pools, microSteps, sync, stages, backwardRatio } = shape;
  let result = 0;
  if (sync === "microStep") {
    for (let m = 0; m < microSteps; m++) {
      let largest = 0;
      for (let k = 0; k < pools; k++) largest = Math.max(largest, loads[m * pools + k]!);
      result += largest;
    }
    return result;
  }
  const pipeline = new Pipeline(microSteps, sync === "pipeline" ? stages : 1, backwardRatio);
  const times = new Float64Array(microSteps);
  for (let k = 0; k < pools; k++) {
    for (let m = 0; m < microSteps; m++) times[m] = loads[m * pools + k]!;
    result = Math.max(result, pipeline.makespan(times));
  }
  return result;
}

/**
 * `stepSkew`: the step's time ÷ the mean work of a pool, at least 1. Under `pipeline` it holds the
 * pipeline's bubble: (M + stages − 1) / M when all micro-steps are equal.
 */
export function stepSkew(loads: Float64Array, shape: PlacementShape): number {
  let total = 0;
  for (const load of loads) total += load;
  return total === 0 ? 1 : (stepTime(loads, shape) * shape.pools) / total;
}

/** `poolSkew` of the worst micro-step: largest ÷ mean over pools. */
export function worstPoolSkew(loads: Float64Array, shape: PlacementShape): number {
  const { pools, microSteps } = shape;
  let worst = 1;
  for (let m = 0; m < microSteps; m++) {
    let largest = 0;
    let total = 0;
    for (let k = 0; k < pools; k++) {
      const load = loads[m * pools + k]!;
      total += load;
      largest = Math.max(largest, load);
    }
    if (total > 0) worst = Math.max(worst, (largest * pools) / total);
  }
  return worst;
}

/**
 * A value that no placement's `stepSkew` is below.
 *
 * - `step`: the bound of K bins of exactly P·M items.
 * - `microStep`: the same bound (a pool's own sum is never above the sum of maxima), and one by
 *   levels: the m·K·P+1 largest items do not all fit in m micro-steps, so the (m+1)-th largest level
 *   is at least the last of them + the P−1 smallest of all. The j highest levels, at least S
 *   together, hold at most min(K·S, the j·K·P largest items), and what remains is at best spread
 *   evenly: Σ maxima ≥ S + (total − held) / K, which only grows with S. For j = 1, either the n
 *   largest items are apart, so that L₁ is at least the mean of their bins, which hold no more than
 *   n·L₁, and the others no more than the (K−n)·P items that follow, or two of them share a bin and
 *   L₁ is at least these two.
 * - `pipeline`: the last stage runs all micro-steps after the first has passed the stages before
 *   it, and the last one's backward passes them again: a pool's makespan ≥ Σ + (stages − 1) ·
 *   (forward of its first + backward of its last micro-step). Its sum is bounded as above; over
 *   all pools the last and first bins hold at best the K·P smallest items and the next K·P. And the
 *   heaviest pool's makespan is at least its sum × the floor of the best profile. Last, the longest
 *   micro-step passes every stage forward and backward one after another, with the forwards before
 *   it and the backwards after it on the first stage.
 *
 * @param sorted - weights of the step's K·P·M items, descending
 */
export function stepBound(sorted: Float64Array, shape: PlacementShape): number {
  const { pools, poolSize, microSteps, sync } = shape;
  const even = equalSizeBound(sorted, pools, poolSize * microSteps);
  if (sync === "microStep") return Math.max(even, levelBound(sorted, shape));
  if (sync === "pipeline") return pipelineBound(sorted, shape, even);
  return even;
}

function levelBound(sorted: Float64Array, shape: PlacementShape): number {
  const { pools, poolSize, microSteps } = shape;
  const count = sorted.length;
  const total = sumRange(sorted, 0, count);
  if (total === 0) return 1;
  const smallest = sumRange(sorted, count - (poolSize - 1), count);
  let best = 0;
  let levels = 0;
  let held = 0;
  for (let m = 0; m < microSteps; m++) {
    const from = m * pools * poolSize;
    levels += sorted[from]! + smallest;
    held += sumRange(sorted, from, from + pools * poolSize);
    best = Math.max(best, levels + (total - Math.min(pools * levels, held)) / pools);
  }
  return (Math.max(best, firstLevelBound(sorted, total, shape)) * pools) / total;
}

// The first level alone, with what its micro-step can hold counted more closely.
function firstLevelBound(
  sorted: Float64Array,
  total: number,
  { pools, poolSize }: PlacementShape,
): number {
  if (poolSize === 1) return 0;
  const count = sorted.length;
  const smallest = sumRange(sorted, count - (poolSize - 2), count);
  const level = sorted[0]! + smallest + sorted[count - (poolSize - 1)]!;
  const before = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) before[i + 1] = before[i]! + sorted[i]!;
  // Σ of maxima at a first level, when the n largest items are known to be apart.
  const atLevel = (first: number, n: number) => {
    const others = before[n + (pools - n) * poolSize]! - before[n]!;
    return first + (total - Math.min(pools * first, n * first + others)) / pools;
  };
  let best = atLevel(level, 1);
  let apart = level;
  for (let n = 2; n <= pools; n++) {
    const shared = sorted[n - 2]! + sorted[n - 1]! + smallest;
    if (shared <= level) break;
    // The heaviest of n bins is not below their mean.
    apart = Math.max(apart, (before[n]! + total - before[count - n * (poolSize - 1)]!) / n);
    best = Math.max(best, Math.min(atLevel(apart, n), atLevel(shared, 1)));
  }
  return best;
}

function pipelineBound(sorted: Float64Array, shape: PlacementShape, even: number): number {
  const { pools, poolSize, microSteps, stages, backwardRatio } = shape;
  const total = sumRange(sorted, 0, sorted.length);
  if (total === 0) return 1;
  const count = sorted.length;
  const backward = backwardRatio / (1 + backwardRatio);
  const group = pools * poolSize;
  const smallest = sumRange(sorted, count - group, count);
  const next = microSteps > 1 ? sumRange(sorted, count - 2 * group, count - group) : smallest;
  const light = Math.min(backward, 1 - backward);
  const averaged = 1 + ((stages - 1) * ((1 - light) * smallest + light * next)) / total;
  const least = sumRange(sorted, count - poolSize, count);
  const { floor } = pipelineProfile(microSteps, stages, backwardRatio);
  const apart = count - (poolSize - 1);
  const longest = sorted[0]! + sumRange(sorted, apart, count);
  const beside = sumRange(sorted, apart - (microSteps - 1) * poolSize, apart);
  return Math.max(
    averaged,
    even + ((stages - 1) * least * pools) / total,
    even * floor,
    ((stages * longest + light * beside) * pools) / total,
  );
}

function sumRange(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i]!;
  return sum;
}
