import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvePacking } from "../../src/options.js";
import { pack } from "../../src/packing/pack.js";
import type { OverlongPolicy, PackedEpoch } from "../../src/packing/types.js";
import { anyLengths, sum } from "../helpers.js";

interface Options {
  packing?: "bestFit" | "sequential" | "concatSplit";
  overlong?: OverlongPolicy;
  alignment?: number;
  lookAhead?: number;
}

function packAll(lengths: readonly number[], window: number, options: Options = {}): PackedEpoch {
  const order = Uint32Array.from(lengths.keys());
  const resolved = resolvePacking({ window, packing: "bestFit", ...options });
  return pack(Uint32Array.from(lengths), order, resolved);
}

/** The lengths in each packed sequence. */
function bins(packed: PackedEpoch): number[][] {
  const { offsets, length } = packed.segments(0, packed.count);
  return Array.from({ length: packed.count }, (_, s) => [
    ...length.subarray(offsets[s]!, offsets[s + 1]!),
  ]);
}

describe("packing of whole documents", () => {
  test("sequential closes a window at the first document that does not fit", () => {
    const packed = packAll([5, 3, 1, 8, 0, 2], 8, { packing: "sequential" });
    expect(bins(packed)).toEqual([[5, 3], [1], [8], [2]]);
    expect(packed.report).toMatchObject({ sequences: 4, unused: 13, split: 0, empty: 1 });
  });

  test("A12: eight documents of 7 under a cap of 8 take eight sequences; one of 9 is an error", () => {
    const packed = packAll(new Array(8).fill(7), 8, { overlong: "error" });
    expect(bins(packed)).toEqual(new Array(8).fill([7]));
    expect(() => packAll([7, 9], 8, { overlong: "error" })).toThrow(
      "Document 1 has 9 tokens, above the window of 8",
    );
  });

  test("A13: overlong documents by policy, with counts", () => {
    const lengths = [4, 2, 3, 1];
    const truncated = packAll(lengths, 3, { overlong: "truncate" }).report;
    expect(truncated).toMatchObject({ tokens: 9, sequences: 3, truncated: 1, truncatedTokens: 1 });
    const split = packAll(lengths, 3, { overlong: "split" });
    expect(split.report).toMatchObject({ tokens: 10, sequences: 4, split: 1, segments: 5 });
    const pieces = split.segments(0, split.count);
    const ofFirst = [...pieces.document.keys()].filter((i) => pieces.document[i] === 0);
    expect(ofFirst.map((i) => [pieces.start[i], pieces.length[i]]).sort()).toEqual([
      [0, 3],
      [3, 1],
    ]);
    const dropped = packAll(lengths, 3, { overlong: "drop" }).report;
    expect(dropped).toMatchObject({ tokens: 6, sequences: 2, dropped: 1, droppedTokens: 4 });
    expect(() => packAll(lengths, 3, { overlong: "error" })).toThrow("Document 0 has 4 tokens");
  });

  test("A15: empty documents are left out and counted", () => {
    const packed = packAll([0, 3, 0, 2], 4);
    expect(packed.report).toMatchObject({ sequences: 2, empty: 2 });
  });

  test("A16: nothing usable says what there was", () => {
    expect(() => packAll([9, 8, 7], 4, { overlong: "drop" })).toThrow(
      "0 of 3 documents usable, shortest 7 > cap 4",
    );
    expect(() => packAll([], 4)).toThrow("0 of 0 documents usable");
    expect(() => packAll([0, 0], 4)).toThrow("0 of 2 documents usable, all of them empty");
  });

  test("D1: four full bins with squares 64, 40, 34, 24", () => {
    const packed = packAll([8, 6, 5, 4, 3, 2, 2, 2], 8);
    const squares = bins(packed).map((bin) => sum(bin.map((length) => length * length)));
    expect(squares.sort((a, b) => b - a)).toEqual([64, 40, 34, 24]);
    expect(packed.report.unused).toBe(0);
  });

  test("sequences of one look-ahead come in the order of their earliest document", () => {
    expect(bins(packAll([1, 9, 5, 8, 2, 5], 10))).toEqual([
      [1, 9],
      [5, 5],
      [8, 2],
    ]);
  });

  test("look-ahead bounds how far a document moves", () => {
    const packed = packAll([6, 6, 4, 4], 10, { lookAhead: 2 });
    expect(bins(packed)).toEqual([[6], [6], [4, 4]]);
    expect(bins(packAll([6, 6, 4, 4], 10, { lookAhead: 4 }))).toEqual([
      [6, 4],
      [6, 4],
    ]);
  });

  test("every token once, no window overfull, best fit no looser than sequential", () => {
    fc.assert(
      fc.property(
        anyLengths,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1, 2, 4),
        fc.constantFrom("split" as const, "truncate" as const, "drop" as const),
        fc.constantFrom("bestFit" as const, "sequential" as const),
        fc.constantFrom(1, 3, 1000),
        (lengths, units, alignment, overlong, packing, lookAhead) => {
          const window = units * 4;
          fc.pre(overlong !== "drop" || lengths.some((l) => l > 0 && l <= window));
          const packed = packAll(lengths, window, { packing, overlong, alignment, lookAhead });
          const table = packed.segments(0, packed.count);
          const seen = lengths.map(() => new Set<number>());
          for (let s = 0; s < packed.count; s++) {
            let used = 0;
            for (let i = table.offsets[s]!; i < table.offsets[s + 1]!; i++) {
              used += Math.ceil(table.length[i]! / alignment) * alignment;
              for (let t = 0; t < table.length[i]!; t++) {
                const token = table.start[i]! + t;
                expect(seen[table.document[i]!]!.has(token)).toBe(false);
                seen[table.document[i]!]!.add(token);
              }
            }
            expect(used).toBeGreaterThan(0);
            expect(used).toBeLessThanOrEqual(window);
          }
          const wanted = lengths.map((length) =>
            length <= window || overlong === "split" ? length : overlong === "drop" ? 0 : window,
          );
          expect(seen.map((tokens) => tokens.size)).toEqual(wanted);
          const { report } = packed;
          expect(report.tokens).toBe(sum(wanted));
          expect(report.sequences).toBe(packed.count);
          expect(report.segments).toBe(table.document.length);
          expect(report.unused + report.padding + report.tokens).toBe(packed.count * window);
          if (packing === "bestFit" && lookAhead === 1000) {
            const loose = packAll(lengths, window, { packing: "sequential", overlong, alignment });
            // Best fit decreasing is at most 11/9 of the optimum plus one.
            expect(packed.count).toBeLessThanOrEqual((11 / 9) * loose.count + 1);
          }
        },
      ),
    );
  });

  test("reads any range alone", () => {
    const packed = packAll([3, 5, 2, 2, 4, 1, 6], 6);
    const whole = bins(packed);
    for (let from = 0; from < packed.count; from++) {
      const { offsets, length } = packed.segments(from, packed.count);
      expect([...length.subarray(0, offsets[1])]).toEqual(whole[from]);
    }
  });
});
