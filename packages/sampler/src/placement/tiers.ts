import type { Items } from "./balance.js";
import { type Bins, siftDown } from "./bins.js";
import type { PlacementShape } from "./types.js";

/** The bin an item is offered to: the lightest one, or the one with most room a place. */
export type Offer = "lightest" | "roomiest";

/**
 * The micro-steps one after another, each filled longest first up to a level: an item is offered to
 * one of the micro-step's bins and taken if the bin can still be completed under the level, else it
 * waits for the next micro-step. Which offer is better depends on whether the large items or the
 * level run out first. A level is what the longest item left needs, or a multiple of an even share of
 * what is left.
 *
 * @param factor - multiple of the even share, at least 1
 */
export function fillTiers(items: Items, shape: PlacementShape, factor: number, offer: Offer): Bins {
  const { order, sorted, total } = items;
  const { pools, microSteps, poolSize: size } = shape;
  const count = pools * microSteps;
  const bins: Bins = {
    count,
    size,
    items: new Uint32Array(order.length),
    weights: new Float64Array(order.length),
    loads: new Float64Array(count),
  };
  const filled = new Uint32Array(count);
  // Least first: the load, or minus the room for each open place.
  const keys = new Float64Array(count);
  const heap = new Uint32Array(pools);
  // Positions in `sorted` that still wait, descending by weight.
  let waiting = Uint32Array.from(order.keys());
  let rest = total;
  for (let m = 0; m < microSteps; m++) {
    const smallest = sorted[waiting.at(-1)!]!;
    const share = rest / (count - m * pools);
    const needed = sorted[waiting[0]!]! + (size - 1) * smallest;
    const level = Math.max(needed, m < microSteps - 1 ? share * factor : share);
    let heapSize = pools;
    for (let k = 0; k < pools; k++) {
      heap[k] = m * pools + k;
      keys[m * pools + k] = offer === "lightest" ? 0 : -level / size;
    }
    const later = new Uint32Array(waiting.length);
    let laterCount = 0;
    for (let at = 0; at < waiting.length; at++) {
      const position = waiting[at]!;
      const bin = heap[0]!;
      const after = bins.loads[bin]! + sorted[position]!;
      const open = size - filled[bin]! - 1;
      if (heapSize === 0 || (m < microSteps - 1 && after + open * smallest > level)) {
        later[laterCount++] = position;
        continue;
      }
      put(bin, position);
      if (open === 0) heap[0] = heap[--heapSize]!;
      else keys[bin] = offer === "lightest" ? after : (after - level) / open;
      siftDown(heap, heapSize, keys, 0);
    }
    // What is still open takes the smallest ones, which exceed the level by the least.
    for (let k = 0; k < pools; k++) {
      const bin = m * pools + k;
      while (filled[bin]! < size) put(bin, later[--laterCount]!);
      rest -= bins.loads[bin]!;
    }
    waiting = later.subarray(0, laterCount);
  }
  return bins;

  function put(bin: number, position: number): void {
    const slot = bin * size + filled[bin]!;
    filled[bin]!++;
    bins.items[slot] = order[position]!;
    bins.weights[slot] = sorted[position]!;
    bins.loads[bin]! += sorted[position]!;
  }
}
