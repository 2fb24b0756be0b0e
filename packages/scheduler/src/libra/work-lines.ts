import type { DocumentLines } from "../plan/document-lines.js";
import type { SequenceLines } from "../plan/sequence-lines.js";

/**
 * The lines that the Libra planner cuts, in columns. A line is work of one sequence whose home are
 * consecutive workers of its group. It consists of segments, lists of documents whose heads lie end to
 * end one segment after another.
 */
export abstract class WorkLines {
  count = 0;
  /** Sequence, first home worker and number of home workers of each line. */
  sequence = new Int32Array(0);
  firstWorker = new Int32Array(0);
  width = new Int32Array(0);
  /** Planning cost and rows of each line. */
  work = new Float64Array(0);
  rows = new Int32Array(0);
  /** Segments of line `l` are `firstSegment[l] … firstSegment[l + 1]`; never none. */
  firstSegment = new Int32Array(1);
  /** Planning cost from the line's start to each segment. */
  segmentCost = new Float64Array(0);
  abstract readonly segments: DocumentLines;
  /** What {@link seekRun} found: rows of the sequence, and where the run ends in the segment. */
  runStart = 0;
  runEnd = 0;

  constructor(protected readonly pool: SequenceLines) {}

  get queryHeads(): number {
    return this.pool.heads.queryHeads;
  }

  /** Takes what the pool's sequences hold now. */
  abstract load(): void;

  /** Lays out the lines' segments, of which home work up to `limit[l]` shall come first. */
  abstract divide(limit: Float64Array): void;

  /** Finds the rows of a segment from `row` on that follow one another in the sequence too. */
  abstract seekRun(segment: number, row: number, rowEnd: number): void;

  /** Planning cost of the documents of a line that stay whole, where others leave; 0 for none. */
  stayingCost(line: number): number {
    const second = this.firstSegment[line]! + 1;
    return second < this.firstSegment[line + 1]! ? this.segmentCost[second]! : 0;
  }

  /** The segment that a cost from the line's start falls into. */
  segmentAt(line: number, cost: number): number {
    const { segmentCost } = this;
    let low = this.firstSegment[line]!;
    let high = this.firstSegment[line + 1]!;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (segmentCost[middle]! <= cost) low = middle;
      else high = middle;
    }
    return low;
  }

  protected reserve(lines: number, segments: number): void {
    if (this.work.length < lines) {
      this.sequence = new Int32Array(lines);
      this.firstWorker = new Int32Array(lines);
      this.width = new Int32Array(lines);
      this.work = new Float64Array(lines);
      this.rows = new Int32Array(lines);
      this.firstSegment = new Int32Array(lines + 1);
    }
    if (this.segmentCost.length < segments) this.segmentCost = new Float64Array(2 * segments);
  }
}

/** One line a sequence, of one segment: what leaves a group are the last heads of all its rows. */
export class HeadLines extends WorkLines {
  get segments(): DocumentLines {
    return this.pool;
  }

  load(): void {
    const { pool } = this;
    const { cp } = pool.input;
    this.count = pool.poolSize;
    this.reserve(this.count, this.count);
    for (let s = 0; s < this.count; s++) {
      this.sequence[s] = s;
      this.firstWorker[s] = s * cp;
      this.width[s] = cp;
      this.work[s] = pool.headCost(s) * pool.heads.queryHeads;
      this.rows[s] = pool.rows(s);
      this.firstSegment[s] = s;
      this.segmentCost[s] = 0;
    }
    this.firstSegment[this.count] = this.count;
  }

  divide(): void {}

  seekRun(_segment: number, row: number, rowEnd: number): void {
    this.runStart = row;
    this.runEnd = rowEnd;
  }
}
