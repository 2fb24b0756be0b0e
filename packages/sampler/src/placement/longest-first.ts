import { fillBins } from "./bins.js";
import { binsOf, slotsOfPools } from "./deal.js";
import { descending } from "./sort.js";
import type { FixedPlacement, PlacementShape } from "./types.js";

/**
 * Longest first into the lightest bin with room, and no more: pools of P·M sequences under
 * `sync: step`, bins of P otherwise.
 */
export function longestFirstPlacement(): FixedPlacement {
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
  const { count, size, wholePools } = binsOf(shape);
  const { items } = fillBins(order, weights, count, size);
  return wholePools ? slotsOfPools(items, shape) : items;
}
