import { expected, LibraError } from "@libra/base";

/** Largest length of a document: what four bytes hold. */
export const maxLength = 0xffffffff;

/**
 * Lengths of documents in tokens as one typed array. A Uint32Array is taken as it is, without a
 * copy, and must not change afterwards; anything else is checked and copied.
 *
 * @throws LibraError LENGTHS naming the first index whose length is NaN, negative, fractional or
 * above 2^32 − 1
 */
export function toLengths(lengths: ArrayLike<number>): Uint32Array {
  if (lengths instanceof Uint32Array) return lengths;
  if (typeof lengths !== "object" || lengths === null || !Number.isInteger(lengths.length)) {
    throw expected("an array of document lengths", "lengths", lengths);
  }
  const result = new Uint32Array(lengths.length);
  for (let i = 0; i < result.length; i++) {
    const length = lengths[i]!;
    if (!Number.isInteger(length) || length < 0 || length > maxLength) {
      throw new LibraError(
        "LENGTHS",
        `Expected an integer from 0 to ${maxLength} for lengths[${i}] but received ${String(length)}`,
        { details: { index: i } },
      );
    }
    result[i] = length;
  }
  return result;
}
