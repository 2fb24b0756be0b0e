import { ChunkWriter } from "../plan/chunk-writer.js";
import type { SequenceLines } from "../plan/sequence-lines.js";
import type { TileTable } from "../plan/tile-table.js";
import type { CutToFit } from "./cut-to-fit.js";
import { Positions } from "./positions.js";
import type { WorkLines } from "./work-lines.js";

/** Writes the stretches of workers as tiles in chunks. */
export class StretchWriter {
  private readonly writer: ChunkWriter;
  private readonly middle = new Positions();

  constructor(
    private readonly pool: SequenceLines,
    private readonly lines: WorkLines,
    private readonly fit: CutToFit,
    table: TileTable,
    private readonly chunks: number,
  ) {
    this.writer = new ChunkWriter(pool, table);
    this.middle.reserve(1);
  }

  /**
   * Writes all workers, line after line: home part A, foreign work, home part B. Where home work
   * suffices, the first and the last chunk hold home work only, so that traffic of other groups is
   * hidden behind it.
   *
   * @param loads - output, planning cost of each worker
   */
  write(loads: Float64Array): void {
    const { firstWorker, width, count } = this.lines;
    for (let l = 0; l < count; l++) {
      const end = firstWorker[l]! + width[l]!;
      for (let w = firstWorker[l]!; w < end; w++) loads[w] = this.writeWorker(w, l);
    }
  }

  private writeWorker(w: number, line: number): number {
    const { fit, writer, chunks } = this;
    const { stretches } = fit;
    const home = stretches.homeCost[w]!;
    const load = stretches.load(w);
    writer.begin(w, load, chunks, fit.cutter.headBlock);
    const part = load / chunks;
    if (load === home || home < part || chunks === 1) {
      this.pushStretch(line, stretches.start, w, stretches.end, w);
      this.pushForeign(w);
    } else {
      const before = Math.max(1, Math.round(home / 2 / part));
      this.cutHome(w, line, before * part, part / 64);
      this.pushStretch(line, stretches.start, w, this.middle, 0);
      writer.startChunk(before);
      if (home >= 2 * part) writer.lastChunk = Math.max(before, chunks - 2);
      this.pushForeign(w);
      writer.lastChunk = chunks - 1;
      this.pushStretch(line, this.middle, 0, stretches.end, w);
    }
    return writer.end();
  }

  // Sets the position between home parts A and B, inside the worker's home stretch.
  private cutHome(w: number, line: number, cost: number, slack: number): void {
    const { middle } = this;
    const { cutter, stretches } = this.fit;
    const { start, end } = stretches;
    cutter.cut(line, stretches.startCost[w]! + cost, slack, Number.POSITIVE_INFINITY, false);
    middle.copy(0, cutter.place, 0);
    if (middle.before(0, start, w)) middle.copy(0, start, w);
    if (end.before(w, middle, 0)) middle.copy(0, end, w);
  }

  private pushForeign(w: number): void {
    const { foreignFirst, foreignNext, foreignLine, foreignStart, foreignEnd } = this.fit.stretches;
    for (let i = foreignFirst[w]!; i >= 0; i = foreignNext[i]!) {
      this.pushStretch(foreignLine[i]!, foreignStart, i, foreignEnd, i);
    }
  }

  private pushStretch(line: number, from: Positions, i: number, to: Positions, j: number): void {
    if (!from.before(i, to, j)) return;
    const s = this.lines.sequence[line]!;
    const first = from.segment[i]!;
    const last = to.segment[j]!;
    for (let segment = first; segment <= last; segment++) {
      const starts = segment === first;
      const ends = segment === last;
      this.pushSegment(
        s,
        segment,
        starts ? from.head[i]! : 0,
        starts ? from.row[i]! : 0,
        starts ? from.part[i]! : 0,
        ends ? to.head[j]! : this.lines.queryHeads,
        ends ? to.row[j]! : 0,
        ends ? to.part[j]! : 0,
      );
    }
  }

  /**
   * Writes a stretch of a segment: the other heads of a row block, the tail of its head block, whole
   * blocks, the start of another and the first heads of a row block.
   */
  private pushSegment(
    s: number,
    segment: number,
    startHead: number,
    startRow: number,
    startPart: number,
    endHead: number,
    endRow: number,
    endPart: number,
  ): void {
    const { segments } = this.lines;
    const rows = segments.rows(segment);
    let head = startHead;
    let row = startRow;
    if (startPart > 0) {
      const next = segments.blockEndAt(segment, row);
      const inside = head === endHead && row === endRow;
      const last = inside ? head + endPart : this.blockEnd(head);
      this.pushRows(s, segment, head + startPart, last, row, next);
      if (inside) return;
      row = next;
    }
    if (head < endHead && row > 0) {
      this.pushRows(s, segment, head, this.blockEnd(head), row, rows);
      head = this.blockEnd(head);
      row = 0;
    }
    if (head < endHead) {
      this.pushRows(s, segment, head, endHead, 0, rows);
      row = 0;
    }
    if (endRow > row) this.pushRows(s, segment, endHead, this.blockEnd(endHead), row, endRow);
    if (endPart > 0) {
      const next = segments.blockEndAt(segment, endRow);
      this.pushRows(s, segment, endHead, endHead + endPart, endRow, next);
    }
  }

  // Rows of a segment may lie apart in the sequence.
  private pushRows(
    s: number,
    segment: number,
    head: number,
    headEnd: number,
    rowStart: number,
    rowEnd: number,
  ): void {
    const { lines, pool, writer } = this;
    if (head >= headEnd) return;
    for (let row = rowStart; row < rowEnd; ) {
      lines.seekRun(segment, row, rowEnd);
      const start = lines.runStart;
      const end = start + lines.runEnd - row;
      writer.push(s, head, headEnd, start, end, pool.costAt(s, start), pool.costAt(s, end));
      row = lines.runEnd;
    }
  }

  private blockEnd(head: number): number {
    return Math.min(this.lines.queryHeads, head + this.fit.cutter.headBlock);
  }
}
