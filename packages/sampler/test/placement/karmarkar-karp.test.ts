import { expect, test } from "vitest";
import { karmarkarKarp } from "../../src/placement/karmarkar-karp.js";
import { plain } from "../helpers.js";

const sums = (weights: number[], count: number) => {
  const size = weights.length / count;
  const items = karmarkarKarp(Float64Array.from(weights), count, size);
  return Array.from({ length: count }, (_, bin) =>
    plain(items.subarray(bin * size, (bin + 1) * size)).reduce((a, i) => a + weights[i]!, 0),
  );
};

test("differencing by hand", () => {
  // Spreads 1, 1, 2: (4, 2) joins (8, 7) crosswise to (11, 10), and that (6, 5) to (16, 16).
  expect(sums([8, 7, 6, 5, 4, 2], 2)).toEqual([16, 16]);
  expect(sums([4, 4, 4, 4], 2)).toEqual([8, 8]);
  expect(sums([9, 1, 1, 1, 1, 1], 3)).toEqual([10, 2, 2]);
});
