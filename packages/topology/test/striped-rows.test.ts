import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contiguousRows,
  ownedCount,
  ownedIndices,
  ownedRowsByName,
  stripedRows,
  zigzagRows,
} from "../src/index.js";
import { bordersOf } from "./support/borders.js";

describe("stripedRows", () => {
  it("gives every row to one rank, the same number to all, give or take one a stripe", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        (lengths, cp, stripes, ranksPerNode) => {
          const cuSeqlens = bordersOf(lengths);
          const rows = cuSeqlens[lengths.length]!;
          const owned = stripedRows(cuSeqlens, cp, { stripes, nodes: { ranksPerNode } });
          const seen = new Uint8Array(rows);
          for (let c = 0; c < cp; c++) {
            for (const row of ownedIndices(owned, c)) seen[row]!++;
            expect(Math.abs(ownedCount(owned, c) - rows / cp)).toBeLessThanOrEqual(2 * stripes + 1);
          }
          expect(seen.every((times) => times === 1)).toBe(true);
        },
      ),
    );
  });

  it("deals long documents to all nodes, short ones to the ranks of one", () => {
    const cuSeqlens = bordersOf([1600, ...new Array(64).fill(100)]);
    const owned = stripedRows(cuSeqlens, 4, { stripes: 4, nodes: { ranksPerNode: 2 } });
    const rowsOf = (document: number, ranks: readonly number[]) =>
      ranks
        .flatMap((c) => Array.from(ownedIndices(owned, c)))
        .filter((row) => row >= cuSeqlens[document]! && row < cuSeqlens[document + 1]!).length;
    expect([0, 1, 2, 3].map((c) => rowsOf(0, [c]))).toEqual([400, 400, 400, 400]);
    for (let d = 1; d <= 64; d++) expect(rowsOf(d, d <= 32 ? [0, 1] : [2, 3])).toBe(100);
  });

  it("takes the nodes of the ranks that it is told", () => {
    const cuSeqlens = bordersOf(new Array(100).fill(10));
    const owned = stripedRows(cuSeqlens, 3, { nodes: { ranksPerNode: 2 }, ranks: [1, 2, 3] });
    expect(Array.from(ownedIndices(owned, 0))).toEqual(Array.from({ length: 333 }, (_, i) => i));
  });

  it("refuses bad numbers", () => {
    expect(() => stripedRows(bordersOf([8]), 0)).toThrow(/cp/);
    expect(() => stripedRows(bordersOf([8]), 2, { stripes: 0 })).toThrow(/stripes/);
    expect(() => stripedRows([0, 4, 3], 2)).toThrow(/cuSeqlens\[2\]/);
  });
});

describe("ownedRowsByName", () => {
  it("names each way", () => {
    const cuSeqlens = bordersOf([40, 8]);
    expect(ownedRowsByName("contiguous", cuSeqlens, 2)).toEqual(contiguousRows(48, 2));
    expect(ownedRowsByName("zigzag", cuSeqlens, 2)).toEqual(zigzagRows(cuSeqlens, 2));
    const options = { stripes: 2 };
    const striped = stripedRows(cuSeqlens, 2, options);
    expect(ownedRowsByName("striped", cuSeqlens, 2, options)).toEqual(striped);
  });
});
