import type { OwnedRows } from "@libra/topology";

/** The intervals that one worker owns of its sequence, walked by overlap with a row range. */
export class OwnedIntervals {
  /** Row after the overlap that {@link next} found last. */
  rowEnd = 0;
  rowStart = 0;
  /** Local index of `rowStart` among the worker's owned rows. */
  local = 0;
  rows = 0;
  private starts: Int32Array = new Int32Array(0);
  private ends: Int32Array = new Int32Array(0);
  private from = 0;
  private to = 0;
  private bases = new Int32Array(16);
  private at = 0;
  private rangeStart = 0;
  private rangeEnd = 0;

  load(owned: OwnedRows, cpIndex: number): void {
    this.starts = owned.starts;
    this.ends = owned.ends;
    this.from = owned.offsets[cpIndex]!;
    this.to = owned.offsets[cpIndex + 1]!;
    if (this.bases.length < this.to - this.from) {
      this.bases = new Int32Array(2 * (this.to - this.from));
    }
    this.rows = 0;
    for (let i = this.from; i < this.to; i++) {
      this.bases[i - this.from] = this.rows;
      this.rows += this.ends[i]! - this.starts[i]!;
    }
  }

  /** Begins a walk over the owned rows inside `[rowStart, rowEnd)`. */
  seek(rowStart: number, rowEnd: number): void {
    this.rangeStart = rowStart;
    this.rangeEnd = rowEnd;
    let low = this.from;
    let high = this.to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle]! <= rowStart) low = middle + 1;
      else high = middle;
    }
    this.at = low;
  }

  /** Steps to the next overlap; false when there is none. */
  next(): boolean {
    const i = this.at;
    if (i >= this.to || this.starts[i]! >= this.rangeEnd) return false;
    this.at++;
    this.rowStart = Math.max(this.starts[i]!, this.rangeStart);
    this.rowEnd = Math.min(this.ends[i]!, this.rangeEnd);
    this.local = this.bases[i - this.from]! + this.rowStart - this.starts[i]!;
    return this.rowEnd > this.rowStart;
  }
}
