import type { OwnedRows } from "./owned-rows.js";
import { contiguousRows, zigzagRows } from "./row-partitions.js";
import { type StripeOptions, stripedRows } from "./striped-rows.js";

/** Ways in which the ranks of a group may own the rows of their sequence. */
export const ownedRowsNames = Object.freeze(["contiguous", "zigzag", "striped"] as const);

/** One of {@link ownedRowsNames}. */
export type OwnedRowsName = (typeof ownedRowsNames)[number];

/**
 * The owned rows that a configuration names: one interval a rank, the 2·C chunks per document of
 * Transformer Engine, or {@link stripedRows}.
 *
 * @param cuSeqlens - document borders of the packed sequence
 * @param options - of `striped` only
 * @throws LibraError `ARGUMENT` for a bad border or number of ranks
 */
export function ownedRowsByName(
  name: OwnedRowsName,
  cuSeqlens: ArrayLike<number>,
  cp: number,
  options: StripeOptions = {},
): OwnedRows {
  if (name === "striped") return stripedRows(cuSeqlens, cp, options);
  if (name === "zigzag") return zigzagRows(cuSeqlens, cp);
  return contiguousRows(cuSeqlens[cuSeqlens.length - 1]!, cp);
}
