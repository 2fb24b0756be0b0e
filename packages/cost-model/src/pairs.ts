import { expected } from "@libra/base";
import type { Mask } from "./mask.js";

// n(n+1)/2 with the even factor halved first, so that the product is exact up to 2^53.
function triangle(n: number): number {
  return n % 2 === 0 ? (n / 2) * (n + 1) : n * ((n + 1) / 2);
}

/**
 * Causal pairs of the rows `[rowStart, rowEnd)` of a document whose keys lie in `[0, rowEnd)`:
 * `(b(b+1) − a(a+1)) / 2`.
 *
 * @returns visible (row, key) pairs of one head; exact below 2^53 (documents up to 2^26 rows)
 */
export function causalPairs(rowStart: number, rowEnd: number): number {
  return triangle(rowEnd) - triangle(rowStart);
}

/**
 * Visible pairs of the rows `[rowStart, rowEnd)` of a document.
 *
 * @param keys - keys of the document; used by the full mask only, default `rowEnd`
 * @returns visible (row, key) pairs of one head; closed forms, exact below 2^53
 */
export function maskPairs(mask: Mask, rowStart: number, rowEnd: number, keys = rowEnd): number {
  switch (mask.kind) {
    case "causal":
      return causalPairs(rowStart, rowEnd);
    case "full":
      return (rowEnd - rowStart) * keys;
    case "sliding":
      return slidingPairs(mask.slidingWindow, rowEnd) - slidingPairs(mask.slidingWindow, rowStart);
    default:
      throw expected("a causal, full or sliding mask", "mask", mask);
  }
}

// Σ_{i < n} min(i + 1, ω): a triangle, then a rectangle.
function slidingPairs(slidingWindow: number, n: number): number {
  const growing = Math.min(n, slidingWindow);
  return triangle(growing) + (n - growing) * slidingWindow;
}

/**
 * Visible pairs of one kernel segment: `rows` query rows against `keys` keys. Causal and sliding
 * masks are aligned bottom-right (the keys end with the rows); rows before the first key see none.
 */
export function segmentPairs(mask: Mask, rows: number, keys: number): number {
  if (mask.kind === "full") return rows * keys;
  return maskPairs(mask, Math.max(0, keys - rows), keys);
}

/**
 * Pairs that a blocked kernel works on: {@link segmentPairs} with the rows rounded up to the
 * kernel's row block. The rows that fill the last block cost as much as the segment's last row.
 *
 * @param rowBlock - query rows of the kernel's block
 */
export function paddedSegmentPairs(
  mask: Mask,
  rows: number,
  keys: number,
  rowBlock: number,
): number {
  const padding = Math.ceil(rows / rowBlock) * rowBlock - rows;
  const lastRow = mask.kind === "sliding" ? Math.min(keys, mask.slidingWindow) : keys;
  return segmentPairs(mask, rows, keys) + padding * lastRow;
}
