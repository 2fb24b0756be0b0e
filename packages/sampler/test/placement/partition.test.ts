import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partition } from "../../src/placement/partition.js";
import { plain, sum } from "../helpers.js";

const square = (length: number) => length * length;
const counts = (bins: readonly Uint32Array[]) => bins.map((bin) => bin.length);
const sorted = (values: Iterable<number>) => [...values].sort((a, b) => b - a);

describe("partition", () => {
  test("A9: counts differ by at most one, whatever divides", () => {
    const { bins, loads } = partition([5, 4, 3, 2, 1, 1, 1], 3);
    expect(sorted(counts(bins))).toEqual([3, 2, 2]);
    expect(sorted(loads)).toEqual([6, 6, 5]);
    expect(sorted(counts(partition(new Array(206).fill(1), 4).bins))).toEqual([52, 52, 51, 51]);
  });

  test("A10: no bin starves, and more bins than items leaves some empty", () => {
    expect(sorted(counts(partition(new Array(9).fill(1), 4).bins))).toEqual([3, 2, 2, 2]);
    expect(sorted(counts(partition([1, 1], 4).bins))).toEqual([1, 1, 0, 0]);
    expect(counts(partition([], 2).bins)).toEqual([0, 0]);
  });

  test("A19: long documents are spread over the global batch", () => {
    const lengths = [8, 8, 1, 1];
    const { loads } = partition(lengths.map(square), 2, { tokens: lengths, cap: 16 });
    expect(plain(loads)).toEqual([65, 65]);
  });

  test("D2: a cap on tokens is never broken for balance", () => {
    const lengths = [6, 4, 4, 4];
    const weights = lengths.map(square);
    const free = partition(weights, 2, { counts: "free" });
    expect(plain(free.loads)).toEqual([36, 48]);
    const capped = partition(weights, 2, { counts: "free", tokens: lengths, cap: 10 });
    expect(sorted(capped.loads)).toEqual([52, 32]);
    expect(() => partition([7, 9], 2, { cap: 8 })).toThrow(
      "Item 1 has 9 tokens, above the cap of 8",
    );
    expect(() => partition([7, 7, 7], 2, { cap: 8 })).toThrow("2 bins are too few");
  });

  test("every item once, counts even", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100), { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (weights, count) => {
          const { bins, loads } = partition(weights, count);
          const all = bins.flatMap((bin) => plain(bin)).sort((a, b) => a - b);
          expect(all).toEqual([...weights.keys()]);
          expect(Math.max(...counts(bins)) - Math.min(...counts(bins))).toBeLessThanOrEqual(1);
          expect(plain(loads)).toEqual(bins.map((bin) => sum(plain(bin).map((i) => weights[i]!))));
        },
      ),
    );
  });
});
