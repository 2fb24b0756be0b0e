import { arrivalSlots } from "./arrival.js";
import { binLoads, stepBound, stepSkew, worstPoolSkew } from "./objective.js";
import { descending, gather } from "./sort.js";
import type { PlacementShape } from "./types.js";

/** How well a table slot → sequence does; every value is a ratio of at least 1. */
export interface PlacementMeasure {
  /** Time of the step ÷ mean work of a pool, as `sync` has it. */
  readonly stepSkew: number;
  /** Largest ÷ mean workload over pools, in the worst micro-step. */
  readonly poolSkew: number;
  /** `stepSkew` of the same sequences in arrival order. */
  readonly arrivalSkew: number;
  /** A value that `stepSkew` cannot be below, whatever the placement. */
  readonly bound: number;
}

/**
 * Measures any placement, ours or another's, with the values that every step plan reports.
 *
 * @param slots - slot → index into `weights`
 * @param weights - workload of each sequence
 */
export function measurePlacement(
  slots: Uint32Array,
  weights: Float64Array,
  shape: PlacementShape,
): PlacementMeasure {
  const loads = binLoads(slots, weights, shape);
  const arrival = binLoads(arrivalSlots(weights.length), weights, shape);
  return {
    stepSkew: stepSkew(loads, shape),
    poolSkew: worstPoolSkew(loads, shape),
    arrivalSkew: stepSkew(arrival, shape),
    bound: stepBound(gather(weights, descending(weights)), shape),
  };
}
