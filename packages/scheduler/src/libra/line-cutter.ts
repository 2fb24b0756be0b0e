import { Positions } from "./positions.js";
import type { WorkLines } from "./work-lines.js";

/** Cuts lines: inside a segment head blocks lie end to end, inside a block rows with all its heads. */
export class LineCutter {
  /** Query heads of a head block. */
  headBlock = 1;
  /** Query heads of a KV group. */
  group = 1;
  wholeGroups = false;
  /** Cuts between heads go no further beyond the wanted cost than this, but below it instead. */
  excess = Number.POSITIVE_INFINITY;
  /** Position 0 is that of the latest cut. */
  readonly place = new Positions();
  /** Planning cost from the line's start to the latest cut. */
  cost = 0;

  constructor(private readonly lines: WorkLines) {
    this.place.reserve(1);
  }

  /**
   * Cuts near `cost` from the line's start: at a KV-group border, a block border or a document
   * border when one is within `slack`, otherwise at the nearest row block border; between the heads
   * of a row block where that would miss by more than `miss`.
   *
   * @param up - the next row block border at or above `cost`, nothing else
   */
  cut(line: number, cost: number, slack: number, miss: number, up: boolean): void {
    const { lines, headBlock } = this;
    const { segments, queryHeads } = lines;
    const segment = lines.segmentAt(line, cost);
    const segmentCost = lines.segmentCost[segment]!;
    const headCost = segments.headCost(segment);
    const inside = cost - segmentCost;
    const border = headCost === 0 ? 0 : this.headBorder(inside, headCost, up ? -1 : slack);
    if (border >= 0) {
      this.set(line, segment, border, 0, 0, border * headCost);
      return;
    }
    const heads = inside / headCost;
    const lastBlock = Math.ceil(queryHeads / headBlock) - 1;
    const head = Math.min(lastBlock, Math.max(0, Math.floor(heads / headBlock))) * headBlock;
    const width = Math.min(headBlock, queryHeads - head);
    const rest = Math.max(0, inside - head * headCost);
    segments.seekRow(segment, rest / width, slack / width, up);
    const { nearRow, nearCost } = segments;
    if (
      !up &&
      Math.abs(nearCost * width - rest) > miss &&
      segments.blockEnd > segments.blockStart
    ) {
      if (this.cutBlock(line, segment, head, width, rest, headCost)) return;
    }
    if (nearRow >= segments.rows(segment)) {
      this.set(line, segment, head + width, 0, 0, (head + width) * headCost);
    } else {
      this.set(line, segment, head, nearRow, 0, head * headCost + width * nearCost);
    }
  }

  // Between the heads of the row block that the cost falls into.
  private cutBlock(
    line: number,
    segment: number,
    head: number,
    width: number,
    rest: number,
    headCost: number,
  ): boolean {
    const { blockStart, blockStartCost, blockEndCost } = this.lines.segments;
    const one = blockEndCost - blockStartCost;
    const wanted = (rest - width * blockStartCost) / one;
    let part = Math.round(wanted);
    if ((part - wanted) * one > this.excess) part--;
    else if (!(part > 0 && part < width)) return false;
    const cost = head * headCost + width * blockStartCost + part * one;
    this.set(line, segment, head, blockStart, part, cost);
    return true;
  }

  // The KV-group border, else the block border, within `slack` of the cost; -1 when there is none.
  private headBorder(cost: number, headCost: number, slack: number): number {
    const { headBlock, group, lines } = this;
    const { queryHeads } = lines;
    const heads = cost / headCost;
    const groupBorder = Math.min(queryHeads, Math.max(0, Math.round(heads / group)) * group);
    if (this.wholeGroups) return groupBorder;
    const aligned = groupBorder % headBlock === 0 || groupBorder === queryHeads;
    if (aligned && Math.abs(cost - groupBorder * headCost) <= slack) return groupBorder;
    const block = Math.max(0, Math.round(heads / headBlock));
    const blockBorder = Math.min(queryHeads, block * headBlock);
    return Math.abs(cost - blockBorder * headCost) <= slack ? blockBorder : -1;
  }

  /** Cuts at the line's end. */
  end(line: number): void {
    const { lines } = this;
    const last = lines.firstSegment[line + 1]! - 1;
    this.place.set(0, last, lines.queryHeads, 0, 0);
    this.cost = lines.work[line]!;
  }

  // A segment's end is the start of the next one; `cost` counts from the segment's start.
  private set(
    line: number,
    segment: number,
    head: number,
    row: number,
    part: number,
    cost: number,
  ): void {
    const { lines } = this;
    this.cost = lines.segmentCost[segment]! + cost;
    const ends = head >= lines.queryHeads && segment + 1 < lines.firstSegment[line + 1]!;
    if (ends) this.place.set(0, segment + 1, 0, 0, 0);
    else this.place.set(0, segment, head, row, part);
  }
}
