import { LibraError } from "@libra/base";
import { type AttentionHeads, documentCost } from "@libra/cost-model";
import { DocumentLines } from "./document-lines.js";
import { checkPoolInput, type PoolInput } from "./pool-input.js";

/** The sequences of a pool, one list of documents each. */
export class SequenceLines extends DocumentLines {
  input!: PoolInput;
  heads!: AttentionHeads;
  poolSize = 0;
  workers = 0;
  /** Planning cost of the whole pool. */
  total = 0;
  /** Rows of the pool's longest document. */
  longest = 0;

  /** Takes a new input; earlier positions and costs are void. */
  load(input: PoolInput): void {
    this.heads = checkPoolInput(input, this.heads);
    this.input = input;
    this.poolSize = input.sequences.length;
    this.workers = this.poolSize * input.cp;
    let borders = 0;
    for (let s = 0; s < this.poolSize; s++) borders += input.sequences[s]!.length;
    this.clear(input.cost, this.poolSize, borders);
    let total = 0;
    this.longest = 0;
    for (let s = 0; s < this.poolSize; s++) {
      const cuSeqlens = input.sequences[s]!;
      this.begin();
      for (let i = 1; i < cuSeqlens.length; i++) {
        const length = cuSeqlens[i]! - cuSeqlens[i - 1]!;
        if (length > this.longest) this.longest = length;
        this.append(length, documentCost(this.cost, length));
      }
      total += this.headCost(s) * this.heads.queryHeads;
    }
    if (total > Number.MAX_SAFE_INTEGER) {
      throw new LibraError(
        "LENGTHS",
        `The pool's planning cost ${total} is above 2^53 - 1, where loads stop being exact: use a coarser planning cost`,
      );
    }
    this.total = total;
  }

  /** Planning cost of one query head over the last whole row block of the pool's longest document. */
  longestBlock(): number {
    const { rowBlock } = this.cost;
    if (this.longest < rowBlock) return this.cost.prefix(this.longest);
    const end = this.longest - (this.longest % rowBlock);
    return this.cost.prefix(end) - this.cost.prefix(end - rowBlock);
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
