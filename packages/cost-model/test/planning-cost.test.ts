import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  calibratedCost,
  causalPairs,
  documentCost,
  type PlanningCost,
  pairsCost,
  sequenceCost,
} from "../src/index.js";

const pass = { launch: 5e-6, pairs: 3e-12, rows: 4e-9, keys: 2e-9, segment: 1e-6 };
const coefficients = { forward: pass, backward: { ...pass, pairs: 7.5e-12 } };
const costs: [string, (rowBlock: number) => PlanningCost][] = [
  ["pairs", pairsCost],
  ["calibrated", (rowBlock) => calibratedCost(coefficients, 1e9, rowBlock)],
];

describe("D1: equal tokens, unequal attention", () => {
  it("counts causal pairs", () => {
    const cost = pairsCost();
    expect(sequenceCost(cost, [1024])).toBe(524800);
    expect(sequenceCost(cost, [512, 512])).toBe(262656);
    expect(sequenceCost(cost, [1024]) / sequenceCost(cost, [512, 512])).toBeCloseTo(1.998, 3);
  });
});

describe("C21: a pack costs all its documents", () => {
  it("counts every document, not only the first", () => {
    const twicePairsMinusRows = 2 * sequenceCost(pairsCost(), [3, 4, 5]) - 12;
    expect(twicePairsMinusRows).toBe(50);
  });
});

describe.each(costs)("%s cost", (_, make) => {
  const shapes = fc.record({
    length: fc.nat({ max: 5000 }),
    rowBlock: fc.integer({ min: 1, max: 300 }),
  });

  it("is a growing non-negative integer at every border", () => {
    fc.assert(
      fc.property(shapes, ({ length, rowBlock }) => {
        const cost = make(rowBlock);
        let previous = 0;
        expect(cost.prefix(0)).toBe(0);
        for (let row = rowBlock; row < length; row += rowBlock) {
          const prefix = cost.prefix(row);
          expect(Number.isSafeInteger(prefix) && prefix >= previous).toBe(true);
          previous = prefix;
        }
        expect(documentCost(cost, length)).toBeGreaterThanOrEqual(previous);
      }),
      { numRuns: 50 },
    );
  });

  it("finds the nearest border, ties to the lower", () => {
    fc.assert(
      fc.property(shapes, fc.double({ min: -0.1, max: 1.1, noNaN: true }), (shape, share) => {
        const { length, rowBlock } = shape;
        const cost = make(rowBlock);
        const wanted = share * documentCost(cost, length);
        let best = 0;
        for (let row = 0; row < length + rowBlock; row += rowBlock) {
          const border = Math.min(row, length);
          const gain =
            Math.abs(cost.prefix(best) - wanted) - Math.abs(cost.prefix(border) - wanted);
          if (gain > 0) best = border;
        }
        expect(cost.rowNearest(wanted, length)).toBe(best);
      }),
      { numRuns: 100 },
    );
  });

  it("adds up over documents whatever their order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3000 }), { maxLength: 20 }), (lengths) => {
        const cost = make(128);
        const total = lengths.reduce((sum, length) => sum + documentCost(cost, length), 0);
        expect(sequenceCost(cost, lengths)).toBe(total);
        expect(sequenceCost(cost, [...lengths].reverse())).toBe(total);
      }),
    );
  });

  it("does not depend on which document was asked for first", () => {
    const warm = make(64);
    warm.prefix(64 * 500);
    for (const length of [0, 1, 63, 64, 65, 1000]) {
      expect(warm.prefix(length)).toBe(make(64).prefix(length));
    }
  });
});

describe("exactness", () => {
  it("is exact for a window of 2^20 rows and refuses sums above 2^53", () => {
    expect(causalPairs(0, 2 ** 20)).toBe(2 ** 19 * (2 ** 20 + 1));
    expect(documentCost(pairsCost(), 2 ** 26)).toBe(2 ** 25 * (2 ** 26 + 1));
    expect(() => documentCost(pairsCost(), 2 ** 28)).toThrow("above 2^53");
    const long = documentCost(pairsCost(), 2 ** 26);
    expect(() => sequenceCost(pairsCost(), [2 ** 26, 2 ** 26, 2 ** 26, 2 ** 26])).toThrowError(
      expect.objectContaining({ code: "LENGTHS" }),
    );
    expect(sequenceCost(pairsCost(), [2 ** 26, 2 ** 26])).toBe(2 * long);
  });

  it("counts B15's sizes without 32-bit arithmetic", () => {
    expect(causalPairs(0, 65536)).toBe(2147516416);
    expect(2 * causalPairs(0, 46341) - 46341).toBe(46341 ** 2);
  });
});

describe("calibratedCost", () => {
  it("charges padded pairs, rows and the document term", () => {
    const cost = calibratedCost(coefficients, 1e9, 4);
    const alpha = 1e9 * 10.5e-12;
    const beta = 1e9 * 8e-9;
    const delta = 1e9 * 2e-6;
    const first = Math.round(alpha * 10 + beta * 4 + delta);
    expect(cost.prefix(4)).toBe(first);
    // Rows 4 and 5 see 5 + 6 keys; two padding rows see 6 each.
    expect(cost.prefix(6)).toBe(first + Math.round(alpha * (11 + 12) + beta * 2));
  });

  it("refuses wrong arguments", () => {
    expect(() => calibratedCost(coefficients, 0, 128)).toThrow("quantum");
    expect(() => calibratedCost(coefficients, 1e9, 0)).toThrow(
      "Expected a positive integer for rowBlock but received 0",
    );
    const negative = { ...coefficients, forward: { ...pass, rows: -1 } };
    expect(() => calibratedCost(negative, 1e9, 128)).toThrow("forward.rows");
    expect(() => pairsCost(1.5)).toThrow("rowBlock");
  });
});
