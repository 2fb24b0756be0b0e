/** Numbers 0 … n−1 with keys that may grow; the least key first, ties by number. */
export class IndexedHeap {
  private readonly heap: Uint32Array;
  private readonly position: Uint32Array;
  readonly keys: Float64Array;

  constructor(count: number) {
    this.heap = new Uint32Array(count);
    this.position = new Uint32Array(count);
    this.keys = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      this.heap[i] = i;
      this.position[i] = i;
    }
  }

  /** The number of least key. */
  get least(): number {
    return this.heap[0]!;
  }

  /** Adds to a number's key. */
  grow(value: number, by: number): void {
    this.keys[value] = this.keys[value]! + by;
    let at = this.position[value]!;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.heap.length) break;
      const right = child + 1;
      if (right < this.heap.length && this.precedes(this.heap[right]!, this.heap[child]!)) {
        child = right;
      }
      if (!this.precedes(this.heap[child]!, value)) break;
      this.set(at, this.heap[child]!);
      at = child;
    }
    this.set(at, value);
  }

  private set(at: number, value: number): void {
    this.heap[at] = value;
    this.position[value] = at;
  }

  private precedes(a: number, b: number): boolean {
    return this.keys[a]! < this.keys[b]! || (this.keys[a] === this.keys[b] && a < b);
  }
}
