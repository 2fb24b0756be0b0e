import { type Bins, cloneBins, largestLoad, sumBins } from "./bins.js";
import { refineBins } from "./refine.js";

// Levels closer than this share of the mean are not worth another search.
const finest = 1 / 4096;
// What one level may use of the budget: a level that cannot be lowered would take all of it.
const attempt = 1 / 64;

/**
 * Lowers Σ over micro-steps of the largest bin. Every micro-step has a level, the load of its
 * heaviest bin; a level is lowered by improving swaps that may fill any other bin up to the level
 * of its own micro-step. A level that could not be lowered is tried again by half as much.
 *
 * @param start - M groups of `pools` bins by descending load
 * @param goal - Σ of levels to stop at
 * @param budget - comparisons
 * @returns bins grouped in the same way
 */
export function lowerLevels(start: Bins, pools: number, goal: number, budget: number): Bins {
  let best = start;
  let left = budget;
  let mean = 0;
  for (const load of best.loads) mean += load / best.count;
  // No more than what is empty below all levels can be gained.
  const slackOf = (bins: Bins) => sumOfLevels(bins, pools) - (mean * bins.count) / pools;
  const step = levelsOf(best, pools).fill(slackOf(best) / 2);
  for (;;) {
    const levels = levelsOf(best, pools);
    const sum = sumOfLevels(best, pools);
    const m = step.indexOf(Math.max(...step));
    if (sum <= goal || left <= 0 || step[m]! < mean * finest) return best;
    levels[m]! -= Math.min(step[m]!, slackOf(best));
    const trial = cloneBins(best);
    for (let b = 0; b < trial.count; b++) trial.loads[b]! -= levels[Math.floor(b / pools)]!;
    const part = Math.min(left, budget * attempt);
    left -= part - refineBins(trial, 0, part) + trial.count;
    if (largestLoad(trial) > 0) {
      step[m] = step[m]! / 2;
      continue;
    }
    step[m]! *= 1.5;
    sumBins(trial);
    best = regroup(trial);
  }
}

/** Σ over micro-steps of the largest bin, for bins by descending load. */
export function sumOfLevels(bins: Bins, pools: number): number {
  let sum = 0;
  for (let b = 0; b < bins.count; b += pools) sum += bins.loads[b]!;
  return sum;
}

function levelsOf(bins: Bins, pools: number): Float64Array {
  return bins.loads.filter((_, bin) => bin % pools === 0);
}

/** Bins by descending load: for given bins, the grouping into micro-steps of least Σ maxima. */
export function regroup(bins: Bins): Bins {
  const { count, size, loads } = bins;
  const ranked = Uint32Array.from(loads.keys()).sort((a, b) => loads[b]! - loads[a]! || a - b);
  const items = new Uint32Array(bins.items.length);
  const weights = new Float64Array(bins.weights.length);
  for (let at = 0; at < count; at++) {
    const begin = ranked[at]! * size;
    items.set(bins.items.subarray(begin, begin + size), at * size);
    weights.set(bins.weights.subarray(begin, begin + size), at * size);
  }
  return { count, size, items, weights, loads: Float64Array.from(ranked, (bin) => loads[bin]!) };
}
