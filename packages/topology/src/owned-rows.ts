import { requireInteger } from "@libra/base";

/**
 * Which rows of one packed sequence each rank of its CP group holds: per cp index a list of
 * disjoint ascending non-empty intervals, no two of them touching; together they are a partition of
 * `[0, rows)`. A rank's local rows are its intervals one after another. Frozen.
 */
export interface OwnedRows {
  readonly rows: number;
  readonly cp: number;
  /** Intervals of cp index `c` are `offsets[c] … offsets[c + 1]`; length cp + 1. */
  readonly offsets: Int32Array;
  /** First row of each interval. */
  readonly starts: Int32Array;
  /** Row after the last of each interval. */
  readonly ends: Int32Array;
}

/** Rows that a cp index owns. */
export function ownedCount(owned: OwnedRows, cpIndex: number): number {
  requireInteger(cpIndex, "cpIndex", 0, owned.cp - 1);
  let count = 0;
  for (let i = owned.offsets[cpIndex]!; i < owned.offsets[cpIndex + 1]!; i++) {
    count += owned.ends[i]! - owned.starts[i]!;
  }
  return count;
}

/** Sequence rows that a cp index owns, in local order; one entry per row. */
export function ownedIndices(owned: OwnedRows, cpIndex: number): Int32Array {
  const indices = new Int32Array(ownedCount(owned, cpIndex));
  let count = 0;
  for (let i = owned.offsets[cpIndex]!; i < owned.offsets[cpIndex + 1]!; i++) {
    for (let row = owned.starts[i]!; row < owned.ends[i]!; row++) indices[count++] = row;
  }
  return indices;
}
