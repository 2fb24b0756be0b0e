/**
 * Bins of exactly `size` items, in columns: items and their weights bin after bin, each bin sorted
 * by descending weight.
 */
export interface Bins {
  readonly count: number;
  readonly size: number;
  readonly items: Uint32Array;
  readonly weights: Float64Array;
  /** Sum of the bin's weights plus the load it started with. */
  readonly loads: Float64Array;
}

/**
 * Longest first into the lightest bin with room; ties by bin index (a heap).
 *
 * @param order - `count · size` items by descending weight
 * @param weights - weight of each item
 * @param start - load of each bin before any item; default 0
 */
export function fillBins(
  order: Uint32Array,
  weights: Float64Array,
  count: number,
  size: number,
  start?: Float64Array,
): Bins {
  const loads = start ? start.slice() : new Float64Array(count);
  const items = new Uint32Array(count * size);
  const binWeights = new Float64Array(count * size);
  const filled = new Uint32Array(count);
  const heap = new Uint32Array(count);
  let heapSize = count;
  for (let b = 0; b < count; b++) heap[b] = b;
  if (start) for (let at = (count >> 1) - 1; at >= 0; at--) siftDown(heap, heapSize, loads, at);
  for (let i = 0; i < order.length; i++) {
    const bin = heap[0]!;
    const item = order[i]!;
    const weight = weights[item]!;
    const slot = bin * size + filled[bin]!;
    items[slot] = item;
    binWeights[slot] = weight;
    loads[bin] = loads[bin]! + weight;
    const used = filled[bin]! + 1;
    filled[bin] = used;
    if (used === size) {
      heapSize--;
      heap[0] = heap[heapSize]!;
    }
    siftDown(heap, heapSize, loads, 0);
  }
  return { count, size, items, weights: binWeights, loads };
}

export function siftDown(heap: Uint32Array, size: number, loads: Float64Array, from: number): void {
  let at = from;
  const bin = heap[at]!;
  const load = loads[bin]!;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    const right = child + 1;
    if (right < size && before(loads, heap[right]!, heap[child]!)) child = right;
    const candidate = heap[child]!;
    const lighter = loads[candidate]!;
    if (lighter > load || (lighter === load && candidate > bin)) break;
    heap[at] = candidate;
    at = child;
  }
  heap[at] = bin;
}

function before(loads: Float64Array, a: number, b: number): boolean {
  const difference = loads[a]! - loads[b]!;
  return difference < 0 || (difference === 0 && a < b);
}

/** Puts a bin's items back in descending order after one of them changed. */
export function resortBin(bins: Bins, bin: number): void {
  const { size, items, weights } = bins;
  const begin = bin * size;
  for (let i = begin + 1; i < begin + size; i++) {
    const weight = weights[i]!;
    const item = items[i]!;
    let at = i;
    while (at > begin && precedes(weight, item, weights[at - 1]!, items[at - 1]!)) {
      weights[at] = weights[at - 1]!;
      items[at] = items[at - 1]!;
      at--;
    }
    weights[at] = weight;
    items[at] = item;
  }
}

function precedes(weight: number, item: number, otherWeight: number, otherItem: number): boolean {
  return weight > otherWeight || (weight === otherWeight && item < otherItem);
}

export function cloneBins(bins: Bins): Bins {
  return {
    count: bins.count,
    size: bins.size,
    items: bins.items.slice(),
    weights: bins.weights.slice(),
    loads: bins.loads.slice(),
  };
}

/** Sets every load to the plain sum of the bin's weights. */
export function sumBins({ count, size, weights, loads }: Bins): void {
  for (let bin = 0; bin < count; bin++) {
    let load = 0;
    for (let i = bin * size; i < (bin + 1) * size; i++) load += weights[i]!;
    loads[bin] = load;
  }
}

export function largestLoad({ loads }: Bins): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const load of loads) if (load > largest) largest = load;
  return largest;
}
