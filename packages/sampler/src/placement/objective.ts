import { equalSizeBound } from "./bound.js";
import { pipelineMakespan } from "./pipeline.js";
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
  const times = new Float64Array(microSteps);
  for (let k = 0; k < pools; k++) {
    for (let m = 0; m < microSteps; m++) times[m] = loads[m * pools + k]!;
    result = Math.max(
      result,
      pipelineMakespan(times, sync === "pipeline" ? stages : 1, backwardRatio),
    );
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
 * - `microStep`: the same bound (a pool's own sum is never above the sum of maxima), and: the
 *   micro-step of the largest item has L₁ ≥ that item + the P−1 smallest; it holds at most
 *   min(K·L₁, L₁ + the (K−1)·P largest others), and what remains is at best spread evenly, so that
 *   Σ maxima ≥ L₁ + (total − held) / K, which only grows with L₁.
 * - `pipeline`: the last stage runs all micro-steps after the first has passed the stages before
 *   it, and the last one's backward passes them again: a pool's makespan ≥ Σ + (stages − 1) ·
 *   (forward of its first + backward of its last micro-step). Its sum is bounded as above; over
 *   all pools the last and first bins hold at best the K·P smallest items and the next K·P.
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

function levelBound(sorted: Float64Array, { pools, poolSize }: PlacementShape): number {
  const total = sumRange(sorted, 0, sorted.length);
  if (total === 0) return 1;
  const level = sorted[0]! + sumRange(sorted, sorted.length - (poolSize - 1), sorted.length);
  const others = sumRange(sorted, 1, 1 + (pools - 1) * poolSize);
  const held = Math.min(pools * level, level + others);
  return ((level + (total - held) / pools) * pools) / total;
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
  return Math.max(averaged, even + ((stages - 1) * least * pools) / total);
}

function sumRange(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i]!;
  return sum;
}
