import fc from "fast-check";
import { uniform } from "../src/order/document-order.js";

/** Log-normal lengths from a seed, at least 1 and at most `clip`. */
export function lognormalLengths(
  count: number,
  seed: number,
  { median = 644, sigma = 2.02, clip = 2 ** 20 } = {},
): Uint32Array {
  const random = uniform(seed);
  return Uint32Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(1, Math.min(clip, Math.round(median * Math.exp(sigma * normal))));
  });
}

/** Lengths with zeros, ones and long tails. */
export const anyLengths = fc
  .array(fc.oneof(fc.nat(12), fc.nat(200)), { minLength: 1, maxLength: 60 })
  .filter((lengths) => lengths.some((length) => length > 0));

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** A column as plain numbers, for equality with literals. */
export const plain = (column: Iterable<number>): number[] => [...column];
