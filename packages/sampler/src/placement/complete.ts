import type { Bins } from "./bins.js";
import { gather } from "./sort.js";

/**
 * Bins filled one after another, each with the largest item left and then with the largest items
 * that still keep it under `cap` (assuming the smallest ones for the rest of its places), so that
 * every bin uses up as much of its room as it can. Under a tight cap this beats longest-first when
 * a few large items make bins that have little room for anything else.
 *
 * @param order - `count · size` items by descending weight
 * @returns bins of exactly `size` items; loads above `cap` where it could not be kept
 */
export function completeBins(
  order: Uint32Array,
  weights: Float64Array,
  count: number,
  size: number,
  capOf: (bin: number, needed: number, rest: number) => number,
): Bins {
  const total = count * size;
  const sorted = gather(weights, order);
  // Alive positions in both directions; position total stands for the end on either side.
  const next = Uint32Array.from({ length: total + 1 }, (_, i) => i);
  const taken = new Uint8Array(total);
  const items = new Uint32Array(total);
  const binWeights = new Float64Array(total);
  const loads = new Float64Array(count);
  let largest = 0;
  let smallest = total - 1;
  let rest = 0;
  for (const weight of sorted) rest += weight;
  for (let bin = 0; bin < count; bin++) {
    let load = 0;
    let cap = 0;
    for (let place = 0; place < size; place++) {
      let position: number;
      if (place === 0) {
        while (taken[largest]) largest++;
        position = largest;
        cap = capOf(bin, sorted[position]! + sumOfSmallest(size - 1), rest);
      } else {
        const room = cap - load - sumOfSmallest(size - place - 1);
        position = find(firstAtMost(sorted, room));
        // Nothing fits: the smallest does the least harm.
        if (position >= total) position = smallest;
      }
      take(position);
      const at = bin * size + place;
      items[at] = order[position]!;
      binWeights[at] = sorted[position]!;
      load += sorted[position]!;
    }
    loads[bin] = load;
    rest -= load;
  }
  return { count, size, items, weights: binWeights, loads };

  function take(position: number): void {
    taken[position] = 1;
    next[position] = position + 1;
    while (smallest > 0 && taken[smallest]) smallest--;
  }

  /** The first position at or after this one that is not taken, with path halving. */
  function find(position: number): number {
    let at = position;
    while (next[at] !== at) {
      next[at] = next[next[at]!]!;
      at = next[at]!;
    }
    return at;
  }

  function sumOfSmallest(places: number): number {
    let sum = 0;
    for (let at = smallest, left = places; left > 0 && at >= 0; at--) {
      if (taken[at]) continue;
      sum += sorted[at]!;
      left--;
    }
    return sum;
  }
}

/** The first position of a descending list whose value is at most `value`. */
function firstAtMost(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) high = middle;
    else low = middle + 1;
  }
  return low;
}
