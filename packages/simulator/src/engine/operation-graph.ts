import { LibraError } from "@libra/base";
import { EventHeap } from "./event-heap.js";

/**
 * Operations that take time, what each waits for, and the resources that each holds meanwhile.
 *
 * Operations are served in the order in which they become ready (ties by the order of `add`): an
 * operation starts when everything it waits for has ended and its resources are free, and keeps all
 * of them until it ends. Buffers are kept, so that graph after graph allocates nothing.
 */
export class OperationGraph {
  count = 0;
  /** Start and end of each operation, in ticks, after `run`. */
  start = new Float64Array(64);
  end = new Float64Array(64);
  /** Ticks during which each resource was held, after `run`. */
  busy = new Float64Array(64);
  private ticks = new Float64Array(64);
  private waits = new Int32Array(64);
  private firstResource = new Int32Array(65);
  private firstWait = new Int32Array(65);
  private resources = new Int32Array(64);
  private waitFor = new Int32Array(64);
  private firstFollower = new Int32Array(65);
  private followers = new Int32Array(64);
  private free = new Float64Array(64);
  private resourceCount = 0;
  private readonly ready = new EventHeap();

  /** Forgets all operations. */
  clear(): void {
    this.count = 0;
    this.resourceCount = 0;
  }

  /**
   * Adds an operation.
   *
   * @param ticks - how long it takes, a whole number; 0 for a mere meeting point
   * @returns its number
   */
  add(ticks: number): number {
    if (this.count === this.ticks.length) this.growOperations();
    const operation = this.count++;
    this.ticks[operation] = ticks;
    this.waits[operation] = 0;
    if (operation === 0) {
      this.firstResource[0] = 0;
      this.firstWait[0] = 0;
    }
    this.firstResource[operation + 1] = this.firstResource[operation]!;
    this.firstWait[operation + 1] = this.firstWait[operation]!;
    return operation;
  }

  /** The operation added last holds a resource while it runs. */
  holds(resource: number): void {
    const at = this.firstResource[this.count]!++;
    if (at === this.resources.length) this.resources = doubled(this.resources);
    this.resources[at] = resource;
    if (resource >= this.resourceCount) this.resourceCount = resource + 1;
  }

  /** The operation added last begins after another one has ended. */
  after(operation: number): void {
    const at = this.firstWait[this.count]!++;
    if (at === this.waitFor.length) this.waitFor = doubled(this.waitFor);
    this.waitFor[at] = operation;
    this.waits[this.count - 1]!++;
  }

  /**
   * Sets `start` and `end` of every operation.
   *
   * @returns ticks until the last operation has ended
   * @throws LibraError `INTERNAL` when operations wait for each other in a circle, `LENGTHS` when
   *   the time is above 2^53 ticks and sums would not be exact
   */
  run(): number {
    const { count, ready, waits, start, end, ticks } = this;
    this.listFollowers();
    // Until an operation starts, its entry holds when the last of what it waited for ended.
    start.fill(0, 0, count);
    if (this.free.length < this.resourceCount) {
      this.free = new Float64Array(2 * this.resourceCount);
      this.busy = new Float64Array(2 * this.resourceCount);
    }
    this.free.fill(0, 0, this.resourceCount);
    this.busy.fill(0);
    for (let i = 0; i < count; i++) if (waits[i] === 0) ready.push(0, i);
    let done = 0;
    let last = 0;
    while (ready.size > 0) {
      let time = ready.time;
      const operation = ready.pop();
      const from = this.firstResource[operation]!;
      const to = this.firstResource[operation + 1]!;
      for (let i = from; i < to; i++) time = Math.max(time, this.free[this.resources[i]!]!);
      const ended = time + ticks[operation]!;
      for (let i = from; i < to; i++) {
        const resource = this.resources[i]!;
        this.free[resource] = ended;
        this.busy[resource]! += ended - time;
      }
      start[operation] = time;
      end[operation] = ended;
      if (ended > last) last = ended;
      done++;
      const firstFollower = this.firstFollower[operation]!;
      const lastFollower = this.firstFollower[operation + 1]!;
      for (let i = firstFollower; i < lastFollower; i++) {
        const follower = this.followers[i]!;
        if (ended > start[follower]!) start[follower] = ended;
        if (--waits[follower]! === 0) ready.push(start[follower]!, follower);
      }
    }
    if (done < count) {
      const stuck = waits.findIndex((left, i) => i < count && left > 0);
      throw new LibraError("INTERNAL", `Operation ${stuck} waits for itself`);
    }
    if (last > Number.MAX_SAFE_INTEGER) {
      throw new LibraError(
        "LENGTHS",
        `A simulated time of ${last / 1e12} s is too long to be exact`,
      );
    }
    return last;
  }

  // Counting sort of the waits by the operation that is waited for.
  private listFollowers(): void {
    const { count, waitFor } = this;
    const size = this.firstWait[count] ?? 0;
    if (this.firstFollower.length < count + 2) this.firstFollower = new Int32Array(2 * count + 2);
    if (this.followers.length < size) this.followers = new Int32Array(2 * size);
    const first = this.firstFollower.fill(0, 0, count + 2);
    for (let i = 0; i < size; i++) first[waitFor[i]! + 2]!++;
    for (let i = 2; i < count + 2; i++) first[i]! += first[i - 1]!;
    for (let operation = 0; operation < count; operation++) {
      for (let i = this.firstWait[operation]!; i < this.firstWait[operation + 1]!; i++) {
        this.followers[first[waitFor[i]! + 1]!++] = operation;
      }
    }
  }

  private growOperations(): void {
    const size = 2 * this.count;
    const numbers = (old: Float64Array) => {
      const grown = new Float64Array(size);
      grown.set(old);
      return grown;
    };
    this.ticks = numbers(this.ticks);
    this.start = numbers(this.start);
    this.end = numbers(this.end);
    this.waits = doubled(this.waits);
    this.firstResource = doubled(this.firstResource);
    this.firstWait = doubled(this.firstWait);
  }
}

function doubled(old: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * old.length);
  grown.set(old);
  return grown;
}
