import type { SequenceLines } from "../plan/sequence-lines.js";
import { Positions } from "./positions.js";

/**
 * Cuts the lines of sequences. A line is the sequence's head blocks end to end, inside a block by
 * rows with all its query heads together.
 */
export class LineCutter {
  /** Query heads of a head block. */
  headBlock = 1;
  /** Query heads of a KV group. */
  group = 1;
  wholeGroups = false;
  /** Position 0 is that of the latest cut. */
  readonly place = new Positions();
  /** Planning cost from the line's start to the latest cut. */
  cost = 0;

  constructor(private readonly lines: SequenceLines) {
    this.place.reserve(1);
  }

  /**
   * Cuts near `cost` from the line's start: at a KV-group border, a block border or a document
   * border when one is within `slack`, otherwise at the nearest row block border; between the heads
   * of a row block where that would miss by more than `miss`.
   *
   * @param up - the next row block border at or above `cost`, nothing else
   */
  cut(sequence: number, cost: number, slack: number, miss: number, up: boolean): void {
    const { lines, headBlock } = this;
    const queryHeads = lines.heads.queryHeads;
    const headCost = lines.headCost(sequence);
    const border = headCost === 0 ? 0 : this.headBorder(cost, headCost, up ? -1 : slack);
    if (border >= 0) {
      this.set(border, 0, 0, 0, border * headCost);
      return;
    }
    const heads = cost / headCost;
    const lastBlock = Math.ceil(queryHeads / headBlock) - 1;
    const head = Math.min(lastBlock, Math.max(0, Math.floor(heads / headBlock))) * headBlock;
    const width = Math.min(headBlock, queryHeads - head);
    const rest = Math.max(0, cost - head * headCost);
    lines.seekRow(sequence, rest / width, slack / width, up);
    const { nearRow, nearCost } = lines;
    if (!up && Math.abs(nearCost * width - rest) > miss && lines.blockEnd > lines.blockStart) {
      if (this.cutBlock(head, width, rest, headCost)) return;
    }
    if (nearRow >= lines.rows(sequence)) this.set(head + width, 0, 0, 0, (head + width) * headCost);
    else this.set(head, nearRow, 0, nearCost, head * headCost + width * nearCost);
  }

  // Between the heads of the row block that the cost falls into.
  private cutBlock(head: number, width: number, rest: number, headCost: number): boolean {
    const { blockStart, blockStartCost, blockEndCost } = this.lines;
    const one = blockEndCost - blockStartCost;
    const part = Math.round((rest - width * blockStartCost) / one);
    if (!(part > 0 && part < width)) return false;
    const cost = head * headCost + width * blockStartCost + part * one;
    this.set(head, blockStart, part, blockStartCost, cost);
    return true;
  }

  // The KV-group border, else the block border, within `slack` of the cost; -1 when there is none.
  private headBorder(cost: number, headCost: number, slack: number): number {
    const { headBlock, group, lines } = this;
    const queryHeads = lines.heads.queryHeads;
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
  end(sequence: number): void {
    const { queryHeads } = this.lines.heads;
    this.set(queryHeads, 0, 0, 0, queryHeads * this.lines.headCost(sequence));
  }

  private set(head: number, row: number, part: number, rowCost: number, cost: number): void {
    this.place.set(0, head, row, part, rowCost);
    this.cost = cost;
  }
}
