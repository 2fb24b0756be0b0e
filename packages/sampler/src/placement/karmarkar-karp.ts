import { binsOf, slotsOfPools } from "./deal.js";
import { descending, gather } from "./sort.js";
import type { FixedPlacement, PlacementShape } from "./types.js";

/**
 * The largest differencing method for bins of equal size, as frameworks use it to balance batches
 * (Karmarkar and Karp 1982; Michiels et al. 2003 for equal size): every `count` consecutive items
 * make a partial answer of one item a bin; the two answers of largest spread are joined, heaviest
 * bins with lightest, until one is left.
 */
export function karmarkarKarpPlacement(): FixedPlacement {
  return Object.freeze({ name: "karmarkarKarp", changesStep: false, place });
}

function place(weights: Float64Array, shape: PlacementShape): Uint32Array {
  const { count, size, wholePools } = binsOf(shape);
  const items = karmarkarKarp(weights, count, size);
  return wholePools ? slotsOfPools(items, shape) : items;
}

/** @returns items bin after bin, `size` each */
export function karmarkarKarp(weights: Float64Array, count: number, size: number): Uint32Array {
  const order = descending(weights);
  // Answer a holds bins a·count …: their sums, descending, and their items as chains.
  const sums = gather(weights, order);
  const heads = order;
  const next = new Int32Array(weights.length).fill(-1);
  const tails = order.slice();
  const spread = (answer: number) => sums[answer * count]! - sums[answer * count + count - 1]!;
  const heap = new Heap(size);
  for (let answer = 0; answer < size; answer++) heap.push(answer, spread(answer));
  let last = 0;
  while (heap.size > 0) {
    const first = heap.pop();
    last = first;
    if (heap.size === 0) break;
    join(first, heap.pop());
    heap.push(first, spread(first));
  }
  const items = new Uint32Array(weights.length);
  for (let bin = 0, at = 0; bin < count; bin++) {
    for (let item = heads[last * count + bin]!; item >= 0; item = next[item]!) items[at++] = item;
  }
  return items;

  function join(a: number, b: number): void {
    for (let i = 0; i < count; i++) {
      const into = a * count + i;
      const from = b * count + count - 1 - i;
      sums[into] = sums[into]! + sums[from]!;
      next[tails[into]!] = heads[from]!;
      tails[into] = tails[from]!;
    }
    const begin = a * count;
    const end = begin + count;
    const ranked = descending(sums.slice(begin, end));
    for (const column of [sums, heads, tails]) {
      const copy = column.slice(begin, end);
      for (let i = 0; i < count; i++) column[begin + i] = copy[ranked[i]!]!;
    }
  }
}

/** Largest key first; ties by value. */
class Heap {
  size = 0;
  private readonly values: Uint32Array;
  private readonly keys: Float64Array;

  constructor(capacity: number) {
    this.values = new Uint32Array(capacity);
    this.keys = new Float64Array(capacity);
  }

  push(value: number, key: number): void {
    let at = this.size++;
    this.keys[value] = key;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.precedes(value, this.values[parent]!)) break;
      this.values[at] = this.values[parent]!;
      at = parent;
    }
    this.values[at] = value;
  }

  pop(): number {
    const top = this.values[0]!;
    const value = this.values[--this.size]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.precedes(this.values[child + 1]!, this.values[child]!)) {
        child++;
      }
      if (!this.precedes(this.values[child]!, value)) break;
      this.values[at] = this.values[child]!;
      at = child;
    }
    this.values[at] = value;
    return top;
  }

  private precedes(a: number, b: number): boolean {
    return this.keys[a]! > this.keys[b]! || (this.keys[a] === this.keys[b] && a < b);
  }
}
