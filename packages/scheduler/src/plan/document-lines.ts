import type { PlanningCost } from "@libra/cost-model";

/**
 * Lists of documents end to end, with the running planning cost of one query head at every document
 * border, kept in growing buffers so that re-planning allocates nothing.
 */
export class DocumentLines {
  cost!: PlanningCost;
  /** Row that {@link seekRow} found, and the planning cost of one query head before it. */
  nearRow = 0;
  nearCost = 0;
  /** The row block that {@link seekRow}'s cost falls into; empty where it met a document border. */
  blockStart = 0;
  blockEnd = 0;
  blockStartCost = 0;
  blockEndCost = 0;
  /** Borders of list `l` are `first[l] … first[l + 1]`, one more than its documents. */
  protected first = new Int32Array(1);
  protected border = new Int32Array(0);
  protected borderCost = new Float64Array(0);
  private lists = 0;

  /** Starts over; documents are counted with `cost`. */
  protected clear(cost: PlanningCost, lists: number, borders: number): void {
    this.cost = cost;
    this.lists = 0;
    this.first[0] = 0;
    if (this.first.length <= lists) this.first = new Int32Array(2 * lists + 1);
    if (this.border.length < borders) {
      this.border = new Int32Array(2 * borders);
      this.borderCost = new Float64Array(2 * borders);
    }
  }

  /** Opens the next list; returns its index. */
  protected begin(): number {
    const at = this.first[this.lists]!;
    this.first[++this.lists] = at + 1;
    this.border[at] = 0;
    this.borderCost[at] = 0;
    return this.lists - 1;
  }

  /** Appends a document of a known cost to the open list; returns the index of its first border. */
  protected append(length: number, cost: number): number {
    const at = this.first[this.lists]!++;
    this.border[at] = this.border[at - 1]! + length;
    this.borderCost[at] = this.borderCost[at - 1]! + cost;
    return at - 1;
  }

  /** Planning cost of one query head over document `index` of a list. */
  costOf(list: number, index: number): number {
    const at = this.first[list]! + index;
    return this.borderCost[at + 1]! - this.borderCost[at]!;
  }

  rows(list: number): number {
    return this.border[this.first[list + 1]! - 1]!;
  }

  /** Planning cost of one query head over a whole list. */
  headCost(list: number): number {
    return this.borderCost[this.first[list + 1]! - 1]!;
  }

  /** Planning cost of one query head over the rows `[0, row)` of a list. */
  costAt(list: number, row: number): number {
    if (row === 0) return 0;
    if (row === this.rows(list)) return this.headCost(list);
    const document = this.documentAt(list, row);
    const start = this.borderCost[document]!;
    const rest = row - this.border[document]!;
    return rest === 0 ? start : start + this.cost.prefix(rest);
  }

  /** First row of the document that holds a row. */
  documentStart(list: number, row: number): number {
    return row === 0 ? 0 : this.border[this.documentAt(list, row)]!;
  }

  /**
   * Finds the row block border, counted from its document's start, whose cost is nearest to `cost`;
   * sets `nearRow` and `nearCost`.
   *
   * @param cost - planning cost of one query head from the list's start
   * @param slack - a document border within this cost takes precedence
   * @param up - take the next border at or above `cost` instead of the nearest
   */
  seekRow(list: number, cost: number, slack: number, up: boolean): void {
    const { border, borderCost } = this;
    let low = this.first[list]!;
    let high = this.first[list + 1]! - 1;
    if (cost >= borderCost[high]!) {
      this.near(border[high]!, borderCost[high]!);
      return;
    }
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (borderCost[middle]! <= cost) low = middle;
      else high = middle;
    }
    const start = border[low]!;
    const startCost = borderCost[low]!;
    const endCost = borderCost[low + 1]!;
    const below = cost - startCost;
    if (below <= 0 || (!up && below <= slack && below <= endCost - cost)) {
      this.near(start, startCost);
      return;
    }
    const length = border[low + 1]! - start;
    if (!up && endCost - cost <= slack) {
      this.near(start + length, endCost);
      return;
    }
    this.seekBorder(below, length, endCost - startCost);
    if (up && this.nearCost < below) {
      const row = Math.min(length, this.nearRow + this.cost.rowBlock);
      this.near(row, this.cost.prefix(row));
    }
    this.nearRow += start;
    this.nearCost += startCost;
    this.blockStart += start;
    this.blockEnd += start;
    this.blockStartCost += startCost;
    this.blockEndCost += startCost;
  }

  /** Row after the row block that begins at `row`, a row block border before the list's end. */
  blockEndAt(list: number, row: number): number {
    return Math.min(this.border[this.documentAt(list, row) + 1]!, row + this.cost.rowBlock);
  }

  // Causal cost grows with the square of the row, so a guess is a step away from the border; other
  // costs are left to the planning cost's own search, and so are equal costs and its rule of ties.
  private seekBorder(goal: number, length: number, whole: number): void {
    const { cost } = this;
    const { rowBlock } = cost;
    let lower = Math.floor((length * Math.sqrt(goal / whole)) / rowBlock) * rowBlock;
    let lowerCost = cost.prefix(lower);
    for (let step = 0; step < 3; step++) {
      if (lowerCost > goal) {
        lower -= rowBlock;
        lowerCost = cost.prefix(lower);
        continue;
      }
      const upper = Math.min(length, lower + rowBlock);
      const upperCost = cost.prefix(upper);
      if (upperCost > goal) {
        if (lowerCost === goal || upperCost === lowerCost) break;
        if (upperCost - goal < goal - lowerCost) this.near(upper, upperCost);
        else this.near(lower, lowerCost);
        this.blockStart = lower;
        this.blockEnd = upper;
        this.blockStartCost = lowerCost;
        this.blockEndCost = upperCost;
        return;
      }
      if (upper === length) break;
      lower = upper;
      lowerCost = upperCost;
    }
    const row = cost.rowNearest(goal, length);
    this.near(row, cost.prefix(row));
  }

  private near(row: number, cost: number): void {
    this.nearRow = row;
    this.nearCost = cost;
    this.blockStart = row;
    this.blockEnd = row;
    this.blockStartCost = cost;
    this.blockEndCost = cost;
  }

  /** Index into the borders of the document that holds a row; the last document for the list's end. */
  protected documentAt(list: number, row: number): number {
    const { border } = this;
    let low = this.first[list]!;
    let high = this.first[list + 1]! - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (border[middle]! <= row) low = middle;
      else high = middle;
    }
    return low;
  }
}
