import { annealBins } from "./anneal.js";
import { type Bins, fillBins, largestLoad } from "./bins.js";
import { equalSizeBound } from "./bound.js";
import { completeBins } from "./complete.js";
import { refineBins } from "./refine.js";

/** A step's items, prepared once for every search over them. */
export interface Items {
  readonly weights: Float64Array;
  /** Items by descending weight, and their weights in that order. */
  readonly order: Uint32Array;
  readonly sorted: Float64Array;
  readonly total: number;
  /** Comparisons that one search may take. */
  readonly budget: number;
  /** Moves per item where a small step is annealed. */
  readonly moves: number;
}

/** Close enough to the mean to stop at: a quarter of the 0.1 % that placement is held to. */
export const closeEnough = 1.00025;

// Caps tried between the bound and the best so far, each halving what is left between them.
const caps = 8;

/**
 * Fills `count` bins of exactly `size` items so that the largest load is small: longest first, then
 * improving swaps; where these miss the bound, bins completed under a cap, and for small steps
 * annealing.
 */
export function balanceBins(items: Items, count: number, size: number): Bins {
  const { weights, order, sorted, total, budget, moves } = items;
  const mean = total / count;
  const goal = mean * Math.max(closeEnough, equalSizeBound(sorted, count, size));
  let best = fillBins(order, weights, count, size);
  // With two places a bin, longest first pairs the largest with the smallest: the optimum.
  if (size <= 2 || count === 1) return best;
  let left = refineBins(best, goal, budget);
  let low = goal;
  let high = largestLoad(best);
  for (let round = 0; round < caps && largestLoad(best) > goal && left > 0; round++) {
    const cap = (low + high) / 2;
    const bins = completeBins(order, weights, count, size, () => cap);
    left -= 4 * order.length;
    if (largestLoad(bins) <= cap) high = cap;
    else low = cap;
    left = refineBins(bins, goal, left);
    if (largestLoad(bins) < largestLoad(best)) best = bins;
  }
  if (largestLoad(best) <= goal) return best;
  const annealed = annealBins(best, count, goal, moves);
  refineBins(annealed, goal, budget);
  return largestLoad(annealed) < largestLoad(best) ? annealed : best;
}
