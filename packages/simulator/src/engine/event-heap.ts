/** Operations that are ready, earliest first; equal times go by operation. */
export class EventHeap {
  size = 0;
  private times = new Float64Array(64);
  private operations = new Int32Array(64);

  push(time: number, operation: number): void {
    if (this.size === this.times.length) this.grow();
    const { times, operations } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(time, operation, parent)) break;
      times[at] = times[parent]!;
      operations[at] = operations[parent]!;
      at = parent;
    }
    times[at] = time;
    operations[at] = operation;
  }

  /** Time of the operation that `pop` returns next. */
  get time(): number {
    return this.times[0]!;
  }

  /** Takes out the earliest operation. */
  pop(): number {
    const { times, operations } = this;
    const first = operations[0]!;
    const size = --this.size;
    const time = times[size]!;
    const operation = operations[size]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.before(times[child + 1]!, operations[child + 1]!, child))
        child++;
      if (this.before(time, operation, child)) break;
      times[at] = times[child]!;
      operations[at] = operations[child]!;
      at = child;
    }
    times[at] = time;
    operations[at] = operation;
    return first;
  }

  private before(time: number, operation: number, at: number): boolean {
    const other = this.times[at]!;
    return time < other || (time === other && operation < this.operations[at]!);
  }

  private grow(): void {
    const times = new Float64Array(2 * this.size);
    const operations = new Int32Array(2 * this.size);
    times.set(this.times);
    operations.set(this.operations);
    this.times = times;
    this.operations = operations;
  }
}
