import { type Bins, fillBins } from "./bins.js";
import { equalSizeBound } from "./bound.js";
import type { Pipeline } from "./pipeline.js";
import { refineBins } from "./refine.js";
import { descending, gather } from "./sort.js";
import type { PlacementShape } from "./types.js";

/**
 * Deals bins to pools so that the pools' sums are even, then orders each pool's micro-steps: hill
 * order (ascending, then descending), unless ascending, descending or valley order simulates
 * shorter.
 *
 * @param bins - K·M bins of P items
 * @returns slot → item
 */
export function schedulePools(bins: Bins, shape: PlacementShape, pipeline: Pipeline): Uint32Array {
  const { pools, microSteps, poolSize } = shape;
  const order = descending(bins.loads);
  const dealt = fillBins(order, bins.loads, pools, microSteps);
  const sorted = gather(bins.loads, order);
  let total = 0;
  for (const load of sorted) total += load;
  const even = (equalSizeBound(sorted, pools, microSteps) * total) / pools;
  refineBins(dealt, even, 16 * bins.count * Math.log2(bins.count + 1));
  const slots = new Uint32Array(bins.items.length);
  for (let k = 0; k < pools; k++) {
    const own = dealt.items.subarray(k * microSteps, (k + 1) * microSteps);
    const best = bestOrder(own, bins.loads, pipeline);
    for (let m = 0; m < microSteps; m++) {
      const begin = best[m]! * poolSize;
      slots.set(bins.items.subarray(begin, begin + poolSize), (m * pools + k) * poolSize);
    }
  }
  return slots;
}

/** @param own - bins of one pool by descending load */
function bestOrder(own: Uint32Array, loads: Float64Array, pipeline: Pipeline): Uint32Array {
  let best = own;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of [hill(own), own.slice().reverse(), own, hill(own.slice().reverse())]) {
    const times = gather(loads, candidate);
    const makespan = pipeline.makespan(times);
    if (makespan < least) {
      least = makespan;
      best = candidate;
    }
  }
  return best;
}

/** The given order's later halves outside: of a descending list, ascending and then descending. */
function hill(ranked: Uint32Array): Uint32Array {
  const result = new Uint32Array(ranked.length);
  let left = 0;
  let right = ranked.length - 1;
  for (let i = ranked.length - 1; i >= 0; i--) {
    result[(ranked.length - 1 - i) % 2 === 0 ? left++ : right--] = ranked[i]!;
  }
  return result;
}
