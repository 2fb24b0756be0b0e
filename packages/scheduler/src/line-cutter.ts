import type { SequenceLines } from "./sequence-lines.js";

/**
 * How a sequence's line may be cut. A line is the sequence's head blocks end to end, inside a block
 * by rows with all its query heads together; a position is (first head of a block, row).
 */
export class LineCutter {
  /** Query heads of a head block. */
  headBlock = 1;
  /** Query heads of a KV group. */
  group = 1;
  wholeGroups = false;
  /** Position of the latest cut. */
  head = 0;
  row = 0;
  /** Planning cost of one query head before `row`. */
  rowCost = 0;
  /** Planning cost from the line's start to the latest cut. */
  cost = 0;

  constructor(private readonly lines: SequenceLines) {}

  /**
   * Cuts near `cost` from the line's start: at a KV-group border, a block border or a document
   * border when one is within `slack`, otherwise at the nearest row block border.
   *
   * @param up - the next row block border at or above `cost`, nothing else
   */
  cut(sequence: number, cost: number, slack: number, up: boolean): void {
    const { lines, headBlock } = this;
    const queryHeads = lines.heads.queryHeads;
    const headCost = lines.headCost(sequence);
    const border = headCost === 0 ? 0 : this.headBorder(cost, headCost, up ? -1 : slack);
    if (border >= 0) {
      this.set(border, 0, 0, border * headCost);
      return;
    }
    const heads = cost / headCost;
    const lastBlock = Math.ceil(queryHeads / headBlock) - 1;
    const head = Math.min(lastBlock, Math.max(0, Math.floor(heads / headBlock))) * headBlock;
    const width = Math.min(headBlock, queryHeads - head);
    const rest = Math.max(0, (cost - head * headCost) / width);
    lines.seekRow(sequence, rest, slack / width, up);
    const { nearRow, nearCost } = lines;
    if (nearRow >= lines.rows(sequence)) this.set(head + width, 0, 0, (head + width) * headCost);
    else this.set(head, nearRow, nearCost, head * headCost + width * nearCost);
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

  /** The line's end as a position. */
  end(sequence: number): void {
    const { queryHeads } = this.lines.heads;
    this.set(queryHeads, 0, 0, queryHeads * this.lines.headCost(sequence));
  }

  private set(head: number, row: number, rowCost: number, cost: number): void {
    this.head = head;
    this.row = row;
    this.rowCost = rowCost;
    this.cost = cost;
  }
}
