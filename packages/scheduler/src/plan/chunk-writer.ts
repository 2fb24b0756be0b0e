import type { SequenceLines } from "./sequence-lines.js";
import type { TileTable } from "./tile-table.js";

// A border of heads or of documents this near (as a share of a chunk) is better than an exact cut:
// it saves a tile and the repeated keys of a cut document.
const slackShare = 1 / 16;

/**
 * Writes the work of one worker, given in the order of execution, as tiles cut into chunks of
 * near-equal planning cost: whole head units first, then rows of one unit at row block borders.
 */
export class ChunkWriter {
  /** Last chunk that pushed work may go to. */
  lastChunk = 0;
  private worker = 0;
  private chunk = 0;
  private chunks = 1;
  private unit = 1;
  private load = 0;
  private done = 0;
  private slack = 0;
  private from = 0;
  private cutHead = 0;
  private cutRow = 0;
  private cutCost = 0;

  constructor(
    private readonly lines: SequenceLines,
    private readonly table: TileTable,
  ) {}

  /**
   * Starts a worker.
   *
   * @param load - planning cost of all that will be pushed
   * @param unit - query heads of which rows are cut together
   */
  begin(worker: number, load: number, chunks: number, unit: number): void {
    this.worker = worker;
    this.load = load;
    this.chunks = chunks;
    this.unit = unit;
    this.slack = (load / chunks) * slackShare;
    this.chunk = 0;
    this.done = 0;
    this.lastChunk = chunks - 1;
    this.from = this.table.count;
  }

  /** Sends what follows to chunk `chunk` or later. */
  startChunk(chunk: number): void {
    this.chunk = Math.min(Math.max(this.chunk, chunk), this.chunks - 1);
  }

  /**
   * Adds the heads `[headStart, headEnd)` of the rows `[rowStart, rowEnd)`.
   *
   * @param startCost - planning cost of one query head before `rowStart`
   * @param endCost - the same before `rowEnd`
   */
  push(
    sequence: number,
    headStart: number,
    headEnd: number,
    rowStart: number,
    rowEnd: number,
    startCost: number,
    endCost: number,
  ): void {
    if (headStart >= headEnd || rowStart >= rowEnd) return;
    const { slack } = this;
    const rowsCost = endCost - startCost;
    let head = headStart;
    for (;;) {
      const cost = (headEnd - head) * rowsCost;
      const room = this.border() - this.done;
      if (this.chunk >= this.lastChunk || cost <= room + slack) {
        this.emit(sequence, head, headEnd, rowStart, rowEnd, cost);
        return;
      }
      if (room <= slack) {
        this.chunk++;
        continue;
      }
      this.cut(sequence, head, headEnd, rowStart, rowEnd, startCost, rowsCost, room);
      const { cutHead, cutRow } = this;
      if (cutHead > head) {
        this.emit(sequence, head, cutHead, rowStart, rowEnd, (cutHead - head) * rowsCost);
      }
      head = cutHead;
      if (cutRow > rowStart) {
        const unitEnd = Math.min(headEnd, this.unitEnd(cutHead));
        const cutCost = this.cutCost;
        const cost = (unitEnd - head) * (cutCost - startCost);
        this.emit(sequence, head, unitEnd, rowStart, cutRow, cost);
        this.chunk = Math.min(this.chunk + 1, this.lastChunk);
        this.push(sequence, head, unitEnd, cutRow, rowEnd, cutCost, endCost);
        head = unitEnd;
        if (head >= headEnd) return;
      } else {
        this.chunk = Math.min(this.chunk + 1, this.lastChunk);
        if (head >= headEnd) return;
      }
    }
  }

  /**
   * Ends a worker: its tiles are sorted, and joined where one tile says the same.
   *
   * @returns planning cost of the worker's tiles
   */
  end(): number {
    this.table.sort(this.from);
    this.table.merge(this.from);
    return this.done;
  }

  private border(): number {
    return (this.load * (this.chunk + 1)) / this.chunks;
  }

  private unitEnd(head: number): number {
    return head - (head % this.unit) + this.unit;
  }

  // Sets cutHead, cutRow and its cost: the place at `room` into the work, nearest unit or row block border.
  private cut(
    sequence: number,
    headStart: number,
    headEnd: number,
    rowStart: number,
    rowEnd: number,
    startCost: number,
    rowsCost: number,
    room: number,
  ): void {
    let head = headStart;
    let rest = room;
    for (;;) {
      const next = Math.min(headEnd, this.unitEnd(head));
      const cost = (next - head) * rowsCost;
      if (rest < cost || next === headEnd) break;
      rest -= cost;
      head = next;
    }
    const heads = Math.min(headEnd, this.unitEnd(head)) - head;
    const unitCost = heads * rowsCost;
    this.cutHead = head;
    this.cutRow = rowStart;
    if (rest <= this.slack) return;
    if (unitCost - rest > this.slack) {
      const { lines } = this;
      lines.seekRow(sequence, startCost + rest / heads, this.slack / heads, false);
      if (lines.nearRow <= rowStart) return;
      if (lines.nearRow < rowEnd) {
        this.cutRow = lines.nearRow;
        this.cutCost = lines.nearCost;
        return;
      }
    }
    this.cutHead = head + heads;
  }

  private emit(
    sequence: number,
    headStart: number,
    headEnd: number,
    rowStart: number,
    rowEnd: number,
    cost: number,
  ): void {
    const keyStart = this.lines.documentStart(sequence, rowStart);
    this.table.push(
      this.worker,
      this.chunk,
      sequence,
      headStart,
      headEnd,
      rowStart,
      rowEnd,
      keyStart,
      rowEnd,
      cost,
    );
    this.done += cost;
  }
}
