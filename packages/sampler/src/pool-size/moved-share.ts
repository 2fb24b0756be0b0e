import type { PlacementShape } from "../placement/types.js";

/**
 * Least share of the work that leaves its own replica when every micro-step of a pool is computed
 * evenly: Σ of what each sequence has above its pool's mean.
 */
export function movedShare(
  slots: Uint32Array,
  weights: Float64Array,
  { poolSize }: PlacementShape,
): number {
  let above = 0;
  let total = 0;
  for (let begin = 0; begin < slots.length; begin += poolSize) {
    let sum = 0;
    for (let i = begin; i < begin + poolSize; i++) sum += weights[slots[i]!]!;
    for (let i = begin; i < begin + poolSize; i++) {
      above += Math.max(0, weights[slots[i]!]! - sum / poolSize);
    }
    total += sum;
  }
  return total === 0 ? 0 : above / total;
}

/**
 * The paper's expectation of `poolSkew` under random placement, 1 + (CV/√P)·√(2·ln(dp/P)). It
 * describes placement by chance only, and is 1.4–2.3 times too high for few pools
 * (algorithms.md section 2).
 *
 * @param variation - coefficient of variation of the sequences' workloads
 */
export function expectedRandomSkew(variation: number, dp: number, poolSize: number): number {
  return 1 + (variation / Math.sqrt(poolSize)) * Math.sqrt(2 * Math.log(dp / poolSize));
}
