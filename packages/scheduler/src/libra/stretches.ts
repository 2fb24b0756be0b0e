import type { LineCutter } from "./line-cutter.js";
import { Positions } from "./positions.js";

/**
 * Who computes which stretch of which line: one stretch of its home line for every worker, and
 * stretches of other lines, in columns; those of a worker are chained.
 */
export class Stretches {
  /** Home stretch of each worker: from position `start` to `end`, and its planning cost. */
  readonly start = new Positions();
  readonly end = new Positions();
  startCost = new Float64Array(0);
  homeCost = new Float64Array(0);
  /** First foreign stretch of each worker, and the one after each stretch; -1 for none. */
  foreignFirst = new Int32Array(0);
  foreignNext = new Int32Array(0);
  foreignLine = new Int32Array(0);
  readonly foreignStart = new Positions();
  readonly foreignEnd = new Positions();
  foreignCost = new Float64Array(0);
  /** How far each line is given out, and the planning cost up to there. */
  readonly line = new Positions();
  lineCost = new Float64Array(0);
  private foreignLast = new Int32Array(0);
  /** Latest foreign stretch of each line. */
  private lineLast = new Int32Array(0);
  private foreigns = 0;

  /** Starts over, with every line given out up to `firstSegment[l]`; grows only. */
  clear(workers: number, lines: number, firstSegment: Int32Array): void {
    if (this.homeCost.length < workers) {
      this.start.reserve(workers);
      this.end.reserve(workers);
      this.startCost = new Float64Array(workers);
      this.homeCost = new Float64Array(workers);
      this.foreignFirst = new Int32Array(workers);
      this.foreignLast = new Int32Array(workers);
    }
    if (this.lineCost.length < lines) {
      this.line.reserve(lines);
      this.lineCost = new Float64Array(lines);
      this.lineLast = new Int32Array(lines);
    }
    this.foreigns = 0;
    this.foreignFirst.fill(-1, 0, workers);
    this.homeCost.fill(0, 0, workers);
    for (let l = 0; l < lines; l++) {
      this.line.set(l, firstSegment[l]!, 0, 0, 0);
      this.lineCost[l] = 0;
      this.lineLast[l] = -1;
    }
  }

  /** Planning cost of all stretches of a worker. */
  load(worker: number): number {
    let load = this.homeCost[worker]!;
    for (let i = this.foreignFirst[worker]!; i >= 0; i = this.foreignNext[i]!) {
      load += this.foreignCost[i]!;
    }
    return load;
  }

  /** Line `l` up to the cutter's place becomes the worker's home stretch. */
  takeHome(worker: number, l: number, cutter: LineCutter): void {
    const { line } = this;
    const cost = this.lineCost[l]!;
    this.start.copy(worker, line, l);
    this.startCost[worker] = cost;
    if (line.before(l, cutter.place, 0)) this.advance(l, cutter);
    this.homeCost[worker] = this.lineCost[l]! - cost;
    this.end.copy(worker, line, l);
  }

  /** Line `l` up to the cutter's place becomes a foreign stretch of the worker. */
  takeForeign(worker: number, l: number, cutter: LineCutter): void {
    const { line } = this;
    if (!line.before(l, cutter.place, 0)) return;
    if (this.foreigns === this.foreignLine.length) this.growForeign();
    const i = this.foreigns++;
    if (this.foreignFirst[worker]! < 0) this.foreignFirst[worker] = i;
    else this.foreignNext[this.foreignLast[worker]!] = i;
    this.foreignLast[worker] = i;
    this.foreignNext[i] = -1;
    this.lineLast[l] = i;
    this.foreignLine[i] = l;
    this.foreignStart.copy(i, line, l);
    this.foreignEnd.copy(i, cutter.place, 0);
    this.foreignCost[i] = cutter.cost - this.lineCost[l]!;
    this.advance(l, cutter);
  }

  /**
   * Line `l` up to the cutter's place goes to whoever has what lies before it: the line's latest
   * foreign stretch, or the last of its home workers.
   */
  extend(lastHome: number, l: number, cutter: LineCutter): void {
    const rest = cutter.cost - this.lineCost[l]!;
    const last = this.lineLast[l]!;
    if (last >= 0) {
      this.foreignCost[last]! += rest;
      this.foreignEnd.copy(last, cutter.place, 0);
    } else {
      this.homeCost[lastHome]! += rest;
      this.end.copy(lastHome, cutter.place, 0);
    }
    this.advance(l, cutter);
  }

  private advance(l: number, cutter: LineCutter): void {
    this.line.copy(l, cutter.place, 0);
    this.lineCost[l] = cutter.cost;
  }

  private growForeign(): void {
    const capacity = Math.max(64, 2 * this.foreigns);
    const wider = <Column extends Int32Array | Float64Array>(
      old: Column,
      fresh: Column,
    ): Column => {
      fresh.set(old);
      return fresh;
    };
    this.foreignLine = wider(this.foreignLine, new Int32Array(capacity));
    this.foreignNext = wider(this.foreignNext, new Int32Array(capacity));
    this.foreignCost = wider(this.foreignCost, new Float64Array(capacity));
    this.foreignStart.reserve(capacity);
    this.foreignEnd.reserve(capacity);
  }
}
