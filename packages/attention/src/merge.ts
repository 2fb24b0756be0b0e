import {
  add,
  gatherVectors,
  mergePartials,
  type Stream,
  scatterVectors,
  type Tensor,
} from "@libra/runtime";
import type { OrderedMerges } from "@libra/scheduler";
import type { Staging } from "./exchange.js";

interface Blocks {
  readonly offset: Float64Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
  readonly width: Int32Array;
}

/** Entries of an ordered merge that meet no home vector twice, so that one call does them all. */
export interface MergeRound {
  /** In the partial tensor. */
  readonly from: Blocks;
  /** In the home tensor, the same vectors in the same order. */
  readonly to: Blocks;
  readonly vectors: number;
}

/**
 * Cuts an ordered merge into rounds: an entry's round comes after those of all earlier entries that
 * meet its vectors, so every vector keeps its order. There are as many rounds as key ranges of a row.
 */
export function mergeRounds(merge: OrderedMerges): readonly MergeRound[] {
  const rounds: number[][] = [];
  const roundOf: number[] = [];
  for (let i = 0; i < merge.from.length; i += 1) {
    let round = 0;
    for (let j = 0; j < i; j += 1) {
      if (roundOf[j]! >= round && meet(merge, i, j)) round = roundOf[j]! + 1;
    }
    roundOf.push(round);
    rounds[round] ??= [];
    rounds[round]!.push(i);
  }
  return rounds.map((entries) => {
    const pick = (column: Int32Array) => Int32Array.from(entries, (i) => column[i]!);
    const offsets = (column: Float64Array) => Float64Array.from(entries, (i) => column[i]!);
    const [rows, width] = [pick(merge.rows), pick(merge.width)];
    // Frozen, so that the runtime keeps its native copy.
    return Object.freeze({
      from: Object.freeze({ offset: offsets(merge.from), rows, stride: width, width }),
      to: Object.freeze({ offset: offsets(merge.to), rows, stride: pick(merge.stride), width }),
      vectors: rows.reduce((total, count, i) => total + count * width[i]!, 0),
    });
  });
}

// An entry is a rectangle of home rows and heads; the stride is the number of heads.
function meet(merge: OrderedMerges, a: number, b: number): boolean {
  const heads = merge.stride[a]!;
  const [rowA, rowB] = [Math.floor(merge.to[a]! / heads), Math.floor(merge.to[b]! / heads)];
  const [headA, headB] = [merge.to[a]! % heads, merge.to[b]! % heads];
  return (
    rowA < rowB + merge.rows[b]! &&
    rowB < rowA + merge.rows[a]! &&
    headA < headB + merge.width[b]! &&
    headB < headA + merge.width[a]!
  );
}

/** Merges partial outputs by log-sum-exp into home tensors that hold 0 and −∞, in order. */
export function mergeOutputs(
  stream: Stream,
  staging: Staging,
  rounds: readonly MergeRound[],
  partial: { out: Tensor; logSumExp: Tensor },
  home: { out: Tensor; logSumExp: Tensor },
  valueDim: number,
): void {
  for (const { from, to, vectors } of rounds) {
    const gather = (tensor: Tensor, blocks: Blocks, vectorSize: number): Tensor => {
      const gathered = staging.empty(vectors, vectorSize);
      gatherVectors(stream, { from: tensor, to: gathered, blocks, vectorSize });
      return gathered;
    };
    const out = gather(home.out, to, valueDim);
    const logSumExp = gather(home.logSumExp, to, 1).reshape(vectors);
    mergePartials(stream, {
      partial: gather(partial.out, from, valueDim),
      partialLogSumExp: gather(partial.logSumExp, from, 1).reshape(vectors),
      out,
      logSumExp,
    });
    scatterVectors(stream, { from: out, to: home.out, blocks: to, vectorSize: valueDim });
    scatterVectors(stream, { from: logSumExp, to: home.logSumExp, blocks: to, vectorSize: 1 });
  }
}

/** Adds partial dQ to a home tensor that holds 0, in order. */
export function addPartials(
  stream: Stream,
  staging: Staging,
  rounds: readonly MergeRound[],
  partial: Tensor,
  home: Tensor,
  vectorSize: number,
): void {
  for (const { from, to, vectors } of rounds) {
    const a = staging.empty(vectors, vectorSize);
    const b = staging.empty(vectors, vectorSize);
    gatherVectors(stream, { from: home, to: a, blocks: to, vectorSize });
    gatherVectors(stream, { from: partial, to: b, blocks: from, vectorSize });
    add(stream, { a, b, out: a });
    scatterVectors(stream, { from: a, to: home, blocks: to, vectorSize });
  }
}
