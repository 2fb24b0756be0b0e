// Offsets are counted in doubles, never with 32-bit operators: a window of 1M tokens with 32 heads of
// 128 has 2^32 elements, and a wrapped offset would be finite, plausible and wrong (case B15).
import { LibraError } from "@libra/base";

/**
 * Index of vector (`row`, `head`) in a tensor of `heads` vectors a row.
 * @returns `row · heads + head`, exact; LENGTHS error above 2^53.
 */
export function vectorIndex(row: number, heads: number, head: number): number {
  return exact(row * heads + head);
}

/**
 * First element of vector `vector` in a tensor of vectors of `vectorSize` elements.
 * @returns `vector · vectorSize`, exact; LENGTHS error above 2^53.
 */
export function elementOffset(vector: number, vectorSize: number): number {
  return exact(vector * vectorSize);
}

function exact(offset: number): number {
  if (!Number.isSafeInteger(offset)) {
    throw new LibraError(
      "LENGTHS",
      `Expected an offset below 2^53 for a tensor but received ${offset}`,
    );
  }
  return offset;
}
