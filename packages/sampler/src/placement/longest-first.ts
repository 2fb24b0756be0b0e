import { fillBins } from "./bins.js";
import { descending } from "./sort.js";
import type { Placement, PlacementShape } from "./types.js";

/**
 * Longest first into the lightest bin with room, and no more: pools of P·M sequences under
 * `sync: step`, bins of P otherwise.
 */
export function longestFirstPlacement(): Placement {
  return Object.freeze({
    name: "longestFirst",
    changesStep: false,
    place: (weights: Float64Array, shape: PlacementShape) =>
      longestFirstSlots(weights, descending(weights), shape),
  });
}

/** @param order - the items by descending weight */
export function longestFirstSlots(
  weights: Float64Array,
  order: Uint32Array,
  shape: PlacementShape,
): Uint32Array {
  const { pools, poolSize, microSteps, sync } = shape;
  if (sync !== "step" || microSteps === 1) {
    return fillBins(order, weights, pools * microSteps, poolSize).items;
  }
  const size = poolSize * microSteps;
  const bins = fillBins(order, weights, pools, size);
  const slots = new Uint32Array(weights.length);
  for (let k = 0; k < pools; k++) {
    for (let i = 0; i < size; i++) {
      const microStep = i % microSteps;
      const replica = Math.floor(i / microSteps);
      slots[(microStep * pools + k) * poolSize + replica] = bins.items[k * size + i]!;
    }
  }
  return slots;
}
