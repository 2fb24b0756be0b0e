import { LibraError } from "@libra/base";
import { damaged } from "./format-error.js";

/** Lengths in one chunk: 256 KiB of lengths, few enough to bound memory, enough to be fast. */
export const chunkDocuments = 65536;

const largest = 0xffffffff;

/**
 * Lengths as u32.
 *
 * @param values - numbers as a file or caller gave them
 * @param firstIndex - document index of `values[0]`
 * @throws LibraError `LENGTHS` that names the first document whose length is NaN, negative,
 *   fractional or above 2^32 − 1
 */
export function checkedLengths(
  values: ArrayLike<number>,
  firstIndex: number,
  path: string,
): Uint32Array {
  const lengths = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // A u32 store wraps, so a value survives it exactly when it is an integer in range.
    lengths[i] = value;
    if (lengths[i] !== value) throw wrongLength(path, firstIndex + i, value);
  }
  return lengths;
}

/** The error for one wrong length. */
export function wrongLength(path: string, index: number, value: unknown): LibraError {
  return new LibraError(
    "LENGTHS",
    `${path}: the length of document ${index} is ${String(value)}: expected an integer from 0 to ${largest}`,
    { details: { path, index, value } },
  );
}

/**
 * Lengths as differences of a stream of offsets, one more offset than documents.
 */
export class OffsetDifferences {
  #previous: number | undefined;
  #count = 0;
  readonly #path: string;
  readonly #byteOf: (index: number) => number;

  /** @param byteOf - where in the file an offset of the list lies, for errors */
  constructor(path: string, byteOf: (index: number) => number) {
    this.#path = path;
    this.#byteOf = byteOf;
  }

  /** @throws LibraError `FORMAT` where offsets fall, `LENGTHS` where a difference is no length */
  push(offsets: ArrayLike<number>): Uint32Array {
    const skip = this.#previous === undefined ? 1 : 0;
    const lengths = new Float64Array(Math.max(0, offsets.length - skip));
    let previous = this.#previous ?? offsets[0]!;
    for (let i = skip; i < offsets.length; i++) {
      const offset = offsets[i]!;
      if (offset < previous) {
        throw damaged(
          this.#path,
          this.#byteOf(this.#count + i),
          `offset ${this.#count + i} of the list to be at least ${previous}`,
          String(offset),
        );
      }
      lengths[i - skip] = offset - previous;
      previous = offset;
    }
    const first = this.#count === 0 ? 0 : this.#count - 1;
    if (offsets.length > 0) this.#previous = previous;
    this.#count += offsets.length;
    return checkedLengths(lengths, first, this.#path);
  }
}
