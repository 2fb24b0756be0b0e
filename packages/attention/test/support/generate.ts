// Test data: the reference generator G of the cases page, and summaries to compare with its values.

/** `x_i = sin(0.37·i + phase)`, flat row-major. */
export function generate(phase: number, size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => Math.sin(0.37 * i + phase));
}

export interface Sizes {
  readonly rows: number;
  readonly keys?: number;
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
}

export interface Data {
  readonly q: Float64Array;
  readonly k: Float64Array;
  readonly v: Float64Array;
  readonly dOut: Float64Array;
}

/** q, k, v and dOut of the generator G for one packed sequence; `offset` gives another sequence other values. */
export function generateData(sizes: Sizes, offset = 0): Data {
  const { rows, queryHeads, kvHeads, headDim, valueDim } = sizes;
  const keys = sizes.keys ?? rows;
  return {
    q: generate(0.1 + offset, rows * queryHeads * headDim),
    k: generate(0.5 + offset, keys * kvHeads * headDim),
    v: generate(0.9 + offset, keys * kvHeads * valueDim),
    dOut: generate(1.3 + offset, rows * queryHeads * valueDim),
  };
}

type Numbers = Float32Array | Float64Array | readonly number[];

export function sumOf(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function sumOfSquares(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value * value;
  return total;
}

/**
 * Largest |a − b| over the largest |b|; the tolerance of the cases page is 2e-6 for float32.
 *
 * @param floor - what the largest |b| counts at least: gradients that cancel to nothing have the
 *   rounding errors of their terms
 */
export function relativeError(actual: Numbers, expected: Numbers, floor = 1e-30): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let difference = 0;
  let largest = floor;
  for (let i = 0; i < expected.length; i += 1) {
    const a = actual[i]!;
    const b = expected[i]!;
    if (a === b) continue;
    if (Number.isNaN(a) || Number.isNaN(b) || !Number.isFinite(b)) return Number.POSITIVE_INFINITY;
    difference = Math.max(difference, Math.abs(a - b));
  }
  for (const b of expected) if (Number.isFinite(b)) largest = Math.max(largest, Math.abs(b));
  return difference / largest;
}

/** Hash-free bitwise equality of two float arrays (NaN payloads and signed zeros included). */
export function sameBits(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false;
  const left = new Uint32Array(a.slice().buffer);
  const right = new Uint32Array(b.slice().buffer);
  return left.every((word, i) => word === right[i]);
}

/** The bfloat16 nearest to a number, ties to even. */
export function roundBfloat16(value: number): number {
  const word = new Uint32Array(Float32Array.of(value).buffer);
  word[0] = (word[0]! + 0x7fff + ((word[0]! >>> 16) & 1)) & 0xffff0000;
  return new Float32Array(word.buffer)[0]!;
}
