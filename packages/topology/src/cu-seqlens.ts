import { expected } from "@libra/base";
import type { OwnedRows } from "./owned-rows.js";

/**
 * Checks the borders of a packed sequence's documents: integers from 0, never descending; two equal
 * borders are a document without rows; `[0]` is a sequence without documents.
 *
 * @param rows - what the last border must be; default: any
 * @returns the borders as Int32Array (the same object when it was one)
 * @throws LibraError `ARGUMENT` that names the first wrong border
 */
export function requireCuSeqlens(
  cuSeqlens: ArrayLike<number>,
  rows?: number,
  name = "cuSeqlens",
): Int32Array {
  if (!(cuSeqlens?.length >= 1)) throw expected("a list that begins with 0", name, cuSeqlens);
  for (let i = 0; i < cuSeqlens.length; i++) {
    const border = cuSeqlens[i]!;
    const least = i === 0 ? 0 : cuSeqlens[i - 1]!;
    const most = i === 0 ? 0 : 2 ** 31 - 1;
    if (!Number.isInteger(border) || border < least || border > most) {
      throw expected(
        i === 0 ? "0" : `an integer from ${least} to ${most}`,
        `${name}[${i}]`,
        border,
      );
    }
  }
  const last = cuSeqlens[cuSeqlens.length - 1]!;
  if (rows !== undefined && last !== rows) {
    throw expected(`${rows}, the sequence's rows,`, `${name}'s last border`, last);
  }
  return cuSeqlens instanceof Int32Array ? cuSeqlens : Int32Array.from(cuSeqlens);
}

/**
 * Positions inside their documents of the rows that a rank owns, in local order: what rotary
 * embedding needs (case B10).
 *
 * @param cuSeqlens - document borders of the packed sequence
 * @returns one position per owned row
 */
export function documentPositions(
  cuSeqlens: ArrayLike<number>,
  owned: OwnedRows,
  cpIndex: number,
): Int32Array {
  const borders = requireCuSeqlens(cuSeqlens, owned.rows);
  const positions = new Int32Array(owned.rows);
  let count = 0;
  let document = 0;
  for (let i = owned.offsets[cpIndex]!; i < owned.offsets[cpIndex + 1]!; i++) {
    for (let row = owned.starts[i]!; row < owned.ends[i]!; row++) {
      while (borders[document + 1]! <= row) document++;
      positions[count++] = row - borders[document]!;
    }
  }
  return positions.slice(0, count);
}
