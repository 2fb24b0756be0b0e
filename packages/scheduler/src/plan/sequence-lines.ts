import { LibraError } from "@libra/base";
import { type AttentionHeads, documentCost, type PlanningCost } from "@libra/cost-model";
import { checkPoolInput, type PoolInput } from "./pool-input.js";

/**
 * The sequences of a pool with the running planning cost of one query head at every document
 * border, kept in growing buffers so that re-planning allocates nothing.
 */
export class SequenceLines {
  input!: PoolInput;
  heads!: AttentionHeads;
  cost!: PlanningCost;
  poolSize = 0;
  workers = 0;
  /** Planning cost of the whole pool. */
  total = 0;
  /** Row that {@link seekRow} found, and the planning cost of one query head before it. */
  nearRow = 0;
  nearCost = 0;
  /** The row block that {@link seekRow}'s cost falls into; empty where it met a document border. */
  blockStart = 0;
  blockEnd = 0;
  blockStartCost = 0;
  blockEndCost = 0;
  private longest = 0;
  private first = new Int32Array(0);
  private borderCost = new Float64Array(0);

  /** Takes a new input; earlier positions and costs are void. */
  load(input: PoolInput): void {
    this.heads = checkPoolInput(input, this.heads);
    this.input = input;
    this.cost = input.cost;
    this.poolSize = input.sequences.length;
    this.workers = this.poolSize * input.cp;
    let borders = 0;
    for (let s = 0; s < this.poolSize; s++) borders += input.sequences[s]!.length;
    if (this.first.length < this.poolSize) this.first = new Int32Array(this.poolSize);
    if (this.borderCost.length < borders) this.borderCost = new Float64Array(2 * borders);
    let at = 0;
    let total = 0;
    this.longest = 0;
    for (let s = 0; s < this.poolSize; s++) {
      const cuSeqlens = input.sequences[s]!;
      this.first[s] = at;
      let cost = 0;
      this.borderCost[at++] = 0;
      for (let i = 1; i < cuSeqlens.length; i++) {
        const length = cuSeqlens[i]! - cuSeqlens[i - 1]!;
        if (length > this.longest) this.longest = length;
        cost += documentCost(this.cost, length);
        this.borderCost[at++] = cost;
      }
      total += cost * this.heads.queryHeads;
    }
    if (total > Number.MAX_SAFE_INTEGER) {
      throw new LibraError(
        "LENGTHS",
        `The pool's planning cost ${total} is above 2^53 - 1, where loads stop being exact: use a coarser planning cost`,
      );
    }
    this.total = total;
  }

  rows(sequence: number): number {
    const cuSeqlens = this.input.sequences[sequence]!;
    return cuSeqlens[cuSeqlens.length - 1]!;
  }

  /** Planning cost of one query head over a whole sequence. */
  headCost(sequence: number): number {
    return this.borderCost[this.first[sequence]! + this.input.sequences[sequence]!.length - 1]!;
  }

  /** Planning cost of one query head over the last whole row block of the pool's longest document. */
  longestBlock(): number {
    const { rowBlock } = this.cost;
    if (this.longest < rowBlock) return this.cost.prefix(this.longest);
    const end = this.longest - (this.longest % rowBlock);
    return this.cost.prefix(end) - this.cost.prefix(end - rowBlock);
  }

  /** Planning cost of one query head over the rows `[0, row)` of a sequence. */
  costAt(sequence: number, row: number): number {
    const cuSeqlens = this.input.sequences[sequence]!;
    if (row === 0) return 0;
    if (row === cuSeqlens[cuSeqlens.length - 1]) return this.headCost(sequence);
    const document = documentOfRow(cuSeqlens, row);
    const start = this.borderCost[this.first[sequence]! + document]!;
    const rest = row - cuSeqlens[document]!;
    return rest === 0 ? start : start + this.cost.prefix(rest);
  }

  /** First row of the document that holds a row. */
  documentStart(sequence: number, row: number): number {
    if (row === 0) return 0;
    const cuSeqlens = this.input.sequences[sequence]!;
    return cuSeqlens[documentOfRow(cuSeqlens, row)]!;
  }

  /**
   * Finds the row block border, counted from its document's start, whose cost is nearest to `cost`;
   * sets `nearRow` and `nearCost`.
   *
   * @param cost - planning cost of one query head from the sequence's start
   * @param slack - a document border within this cost takes precedence
   * @param up - take the next border at or above `cost` instead of the nearest
   */
  seekRow(sequence: number, cost: number, slack: number, up: boolean): void {
    const cuSeqlens = this.input.sequences[sequence]!;
    const first = this.first[sequence]!;
    let low = 0;
    let high = cuSeqlens.length - 1;
    if (cost >= this.borderCost[first + high]!) {
      this.near(cuSeqlens[high]!, this.borderCost[first + high]!);
      return;
    }
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.borderCost[first + middle]! <= cost) low = middle;
      else high = middle;
    }
    const start = cuSeqlens[low]!;
    const startCost = this.borderCost[first + low]!;
    const endCost = this.borderCost[first + low + 1]!;
    const below = cost - startCost;
    if (below <= 0 || (!up && below <= slack && below <= endCost - cost)) {
      this.near(start, startCost);
      return;
    }
    const length = cuSeqlens[low + 1]! - start;
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

  /** Row after the row block that begins at `row`, a row block border before the sequence's end. */
  blockEndAt(sequence: number, row: number): number {
    const cuSeqlens = this.input.sequences[sequence]!;
    const document = documentOfRow(cuSeqlens, row);
    return Math.min(cuSeqlens[document + 1]!, row + this.cost.rowBlock);
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
}

/** Index of the document that holds a row; the last document for the sequence's end. */
export function documentOfRow(cuSeqlens: Int32Array, row: number): number {
  let low = 0;
  let high = cuSeqlens.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (cuSeqlens[middle]! <= row) low = middle;
    else high = middle;
  }
  return low;
}
