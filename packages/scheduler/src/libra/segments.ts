import type { PlanningCost } from "@libra/cost-model";
import { DocumentLines } from "../plan/document-lines.js";

/** Lists of documents picked out of sequences, which know where their rows lie there. */
export class Segments extends DocumentLines {
  /** What {@link seekRun} found: the first of the rows in the sequence, and where the run ends here. */
  runStart = 0;
  runEnd = 0;
  private sequenceRow = new Int32Array(0);
  /** 1 where all documents of a list follow one another in the sequence. */
  private joined = new Uint8Array(0);
  private latest = 0;
  private end = 0;

  /** Starts over with room for `lists` lists of `documents` documents in all. */
  reset(cost: PlanningCost, lists: number, documents: number): void {
    this.clear(cost, lists, lists + documents);
    if (this.sequenceRow.length < lists + documents) {
      this.sequenceRow = new Int32Array(2 * (lists + documents));
    }
    if (this.joined.length < lists) this.joined = new Uint8Array(2 * lists);
  }

  /** Opens the next list. */
  open(): void {
    this.latest = this.begin();
    this.joined[this.latest] = 1;
  }

  /** Appends a document that begins at row `start` of its sequence. */
  add(start: number, length: number, cost: number): void {
    const at = this.append(length, cost);
    if (at > this.first[this.latest]! && start !== this.end) this.joined[this.latest] = 0;
    this.sequenceRow[at] = start;
    this.end = start + length;
  }

  /** Finds the rows from `row` on, at most up to `rowEnd`, that follow one another in the sequence. */
  seekRun(list: number, row: number, rowEnd: number): void {
    const { border, sequenceRow } = this;
    if (this.joined[list] === 1) {
      this.runStart = sequenceRow[this.first[list]!]! + row;
      this.runEnd = rowEnd;
      return;
    }
    let document = this.documentAt(list, row);
    this.runStart = sequenceRow[document]! + row - border[document]!;
    let end = border[document + 1]!;
    let sequenceEnd = sequenceRow[document]! + end - border[document]!;
    while (end < rowEnd && sequenceRow[++document] === sequenceEnd) {
      sequenceEnd += border[document + 1]! - end;
      end = border[document + 1]!;
    }
    this.runEnd = Math.min(end, rowEnd);
  }
}
