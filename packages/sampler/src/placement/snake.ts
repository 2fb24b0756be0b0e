import { binsOf, slotsOfPools } from "./deal.js";
import { descending } from "./sort.js";
import type { FixedPlacement, PlacementShape } from "./types.js";

/** Longest first, dealt to the bins forwards and backwards in turn. */
export function snakePlacement(): FixedPlacement {
  return Object.freeze({ name: "snake", changesStep: false, place });
}

function place(weights: Float64Array, shape: PlacementShape): Uint32Array {
  const { count, size, wholePools } = binsOf(shape);
  const order = descending(weights);
  const items = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const round = Math.floor(i / count);
    const at = i % count;
    const bin = round % 2 === 0 ? at : count - 1 - at;
    items[bin * size + round] = order[i]!;
  }
  return wholePools ? slotsOfPools(items, shape) : items;
}
