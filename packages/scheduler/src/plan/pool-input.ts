import { expected, LibraError, requireInteger } from "@libra/base";
import { type AttentionHeads, type PlanningCost, requireHeads } from "@libra/cost-model";
import { type NodeLayout, type OwnedRows, requireCuSeqlens } from "@libra/topology";

/** What a tile planner plans: one micro-step of one pool. Worker `w` is `sequence · cp + cpIndex`. */
export interface PoolInput {
  /** cuSeqlens of each of the pool's P packed sequences, home order; `[0]` for an empty one. */
  readonly sequences: readonly Int32Array[];
  readonly heads: AttentionHeads;
  /** Owned rows of each sequence. */
  readonly owned: readonly OwnedRows[];
  /** Ranks C that share one packed sequence. */
  readonly cp: number;
  readonly cost: PlanningCost;
  /** Relative speed of each worker, above 0; equal by default. Every rank passes the same values. */
  readonly speed?: Float64Array;
  /** Known work of each worker besides attention, in planning cost units; 0 by default. */
  readonly base?: Float64Array;
  /** Where the nodes' borders are; one node by default. */
  readonly nodes?: NodeLayout;
  /** Global rank of each worker; the worker's index by default. */
  readonly ranks?: readonly number[];
}

/**
 * Checks what enters a planner.
 *
 * @param known - heads that were checked before; returned when the input has the same
 * @returns heads, checked and frozen
 * @throws LibraError `ARGUMENT` with the sequence and the value that is wrong
 */
export function checkPoolInput(input: PoolInput, known?: AttentionHeads): AttentionHeads {
  const heads =
    known !== undefined && sameHeads(known, input.heads) ? known : requireHeads(input.heads);
  requireInteger(input.cp, "cp", 1);
  const poolSize = input.sequences.length;
  requireInteger(poolSize, "sequences.length", 1);
  if (input.owned.length !== poolSize) {
    throw expected(`owned rows of ${poolSize} sequences`, "owned", `${input.owned.length}`);
  }
  for (let s = 0; s < poolSize; s++) {
    const owned = input.owned[s]!;
    if (owned.cp !== input.cp) throw expected(`cp ${input.cp}`, `owned[${s}].cp`, owned.cp);
    checkBorders(input.sequences[s]!, owned.rows, s);
  }
  const workers = poolSize * input.cp;
  checkWorkers(input.speed, workers, "speed", Number.MIN_VALUE);
  checkWorkers(input.base, workers, "base", 0);
  if (input.ranks !== undefined && input.ranks.length !== workers) {
    throw expected(`${workers} ranks`, "ranks", `${input.ranks.length} ranks`);
  }
  return heads;
}

// The name of a sequence is made only for the error.
function checkBorders(cuSeqlens: Int32Array, rows: number, s: number): void {
  if (cuSeqlens instanceof Int32Array && cuSeqlens[0] === 0) {
    let i = 1;
    while (i < cuSeqlens.length && cuSeqlens[i]! >= cuSeqlens[i - 1]!) i++;
    if (i === cuSeqlens.length && cuSeqlens[i - 1] === rows) return;
  }
  requireCuSeqlens(cuSeqlens, rows, `sequences[${s}]`);
}

function sameHeads(a: AttentionHeads, b: AttentionHeads): boolean {
  return (
    a.queryHeads === b.queryHeads &&
    a.kvHeads === b.kvHeads &&
    a.headDim === b.headDim &&
    a.valueDim === b.valueDim
  );
}

function checkWorkers(
  values: Float64Array | undefined,
  workers: number,
  name: string,
  least: number,
): void {
  if (values === undefined) return;
  if (values.length !== workers) throw expected(`${workers} values`, name, `${values.length}`);
  for (let w = 0; w < workers; w++) {
    const value = values[w]!;
    if (Number.isFinite(value) && value >= least) continue;
    throw new LibraError(
      "ARGUMENT",
      `Expected a finite number ${least > 0 ? "above" : "of at least"} 0 for ${name}[${w}] but received ${value}`,
    );
  }
}
