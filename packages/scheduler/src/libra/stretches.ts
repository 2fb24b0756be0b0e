import type { LineCutter } from "./line-cutter.js";
import { Positions } from "./positions.js";

/**
 * Who computes which stretch of which line: one stretch of its home line for every worker, and
 * stretches of other groups' lines, in columns; a worker's foreign stretches lie together.
 */
export class Stretches {
  /** Home stretch of each worker: from position `start` to `end`, and its planning cost. */
  readonly start = new Positions();
  readonly end = new Positions();
  startCost = new Float64Array(0);
  homeCost = new Float64Array(0);
  /** Foreign stretches of worker `w`: `foreignFirst[w]` and `foreignCount[w]` into the columns. */
  foreignFirst = new Int32Array(0);
  foreignCount = new Int32Array(0);
  foreignSequence = new Int32Array(0);
  readonly foreignStart = new Positions();
  readonly foreignEnd = new Positions();
  foreignCost = new Float64Array(0);
  /** How far each sequence's line is given out, and the planning cost up to there. */
  readonly line = new Positions();
  lineCost = new Float64Array(0);
  private foreigns = 0;

  /** Starts over; nothing is allocated while sizes do not grow. */
  clear(workers: number, poolSize: number): void {
    if (this.homeCost.length < workers) {
      this.start.reserve(workers);
      this.end.reserve(workers);
      this.startCost = new Float64Array(workers);
      this.homeCost = new Float64Array(workers);
      this.foreignFirst = new Int32Array(workers);
      this.foreignCount = new Int32Array(workers);
    }
    if (this.lineCost.length < poolSize) {
      this.line.reserve(poolSize);
      this.lineCost = new Float64Array(poolSize);
    }
    this.foreigns = 0;
    this.foreignFirst.fill(0, 0, workers);
    this.foreignCount.fill(0, 0, workers);
    for (let s = 0; s < poolSize; s++) {
      this.line.set(s, 0, 0, 0, 0);
      this.lineCost[s] = 0;
    }
  }

  /** Planning cost of all stretches of a worker. */
  load(worker: number): number {
    let load = this.homeCost[worker]!;
    const first = this.foreignFirst[worker]!;
    const end = first + this.foreignCount[worker]!;
    for (let i = first; i < end; i++) load += this.foreignCost[i]!;
    return load;
  }

  /** The line of sequence `s` up to the cutter's place becomes the worker's home stretch. */
  takeHome(worker: number, s: number, cutter: LineCutter): void {
    const { line } = this;
    const cost = this.lineCost[s]!;
    this.start.copy(worker, line, s);
    this.startCost[worker] = cost;
    if (line.before(s, cutter.place, 0)) this.advance(s, cutter);
    this.homeCost[worker] = this.lineCost[s]! - cost;
    this.end.copy(worker, line, s);
  }

  /** The line of sequence `s` up to the cutter's place becomes a foreign stretch of the worker. */
  takeForeign(worker: number, s: number, cutter: LineCutter): void {
    const { line } = this;
    if (!line.before(s, cutter.place, 0)) return;
    if (this.foreigns === this.foreignSequence.length) this.growForeign();
    const i = this.foreigns++;
    if (this.foreignCount[worker]!++ === 0) this.foreignFirst[worker] = i;
    this.foreignSequence[i] = s;
    this.foreignStart.copy(i, line, s);
    this.foreignEnd.copy(i, cutter.place, 0);
    this.foreignCost[i] = cutter.cost - this.lineCost[s]!;
    this.advance(s, cutter);
  }

  /**
   * The line of sequence `s` up to the cutter's place goes to whoever has what lies before it: the
   * latest foreign stretch, or the last worker of the home group.
   */
  extend(lastHome: number, s: number, cutter: LineCutter): void {
    const rest = cutter.cost - this.lineCost[s]!;
    if (this.end.before(lastHome, this.line, s)) {
      const last = this.foreigns - 1;
      this.foreignCost[last]! += rest;
      this.foreignEnd.copy(last, cutter.place, 0);
    } else {
      this.homeCost[lastHome]! += rest;
      this.end.copy(lastHome, cutter.place, 0);
    }
    this.advance(s, cutter);
  }

  private advance(s: number, cutter: LineCutter): void {
    this.line.copy(s, cutter.place, 0);
    this.lineCost[s] = cutter.cost;
  }

  private growForeign(): void {
    const capacity = Math.max(64, 2 * this.foreigns);
    const sequence = new Int32Array(capacity);
    sequence.set(this.foreignSequence);
    this.foreignSequence = sequence;
    const cost = new Float64Array(capacity);
    cost.set(this.foreignCost);
    this.foreignCost = cost;
    this.foreignStart.reserve(capacity);
    this.foreignEnd.reserve(capacity);
  }
}
