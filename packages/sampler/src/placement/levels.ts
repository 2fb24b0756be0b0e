import type { PlacementShape } from "./types.js";

/**
 * Levels L₁ ≥ … ≥ L_M that the micro-steps' bins should be filled to when pools meet at every
 * micro-step. Where the largest sequence left is above an even share, its micro-step takes that
 * sequence (with the P−1 smallest) as its level and as much other work as its bins hold; the rest
 * is shared by the micro-steps that follow.
 *
 * @param sorted - weights of the step's items, descending
 * @returns a level for each micro-step, or undefined when an even share fits everything
 */
export function levelled(sorted: Float64Array, shape: PlacementShape): Float64Array | undefined {
  const { pools, poolSize, microSteps } = shape;
  const count = sorted.length;
  const levels = new Float64Array(microSteps);
  let rest = 0;
  for (const weight of sorted) rest += weight;
  let smallest = 0;
  for (let i = count - (poolSize - 1); i < count; i++) smallest += sorted[i]!;
  for (let m = 0; m < microSteps; m++) {
    const even = rest / ((microSteps - m) * pools);
    // Earlier micro-steps took the longest sequence of each of their bins.
    const needed = sorted[m * pools]! + smallest;
    if (needed <= even) {
      if (m === 0) return undefined;
      levels.fill(even, m);
      return levels;
    }
    levels[m] = needed;
    rest = Math.max(0, rest - held(sorted, m * pools, needed, shape));
  }
  return levels;
}

function held(sorted: Float64Array, from: number, level: number, shape: PlacementShape): number {
  const { pools, poolSize } = shape;
  let others = 0;
  const end = Math.min(sorted.length, from + 1 + (pools - 1) * poolSize);
  for (let i = from + 1; i < end; i++) others += sorted[i]!;
  return Math.min(pools * level, level + others);
}
