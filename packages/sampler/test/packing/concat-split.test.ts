import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvePacking } from "../../src/options.js";
import { pack } from "../../src/packing/pack.js";
import type { OverlongPolicy, PackedEpoch } from "../../src/packing/types.js";
import { anyLengths, plain, sum } from "../helpers.js";

function packAll(
  lengths: readonly number[],
  window: number,
  options: { overlong?: OverlongPolicy; alignment?: number } = {},
): PackedEpoch {
  const order = Uint32Array.from(lengths.keys());
  return pack(Uint32Array.from(lengths), order, resolvePacking({ window, ...options }));
}

const rows = (packed: PackedEpoch) => {
  const { offsets, document, start, length } = packed.segments(0, packed.count);
  return Array.from({ length: packed.count }, (_, s) =>
    Array.from({ length: offsets[s + 1]! - offsets[s]! }, (_, i) => {
      const at = offsets[s]! + i;
      return [document[at], start[at], length[at]];
    }),
  );
};

describe("concatSplit", () => {
  test("cuts documents at the window's edge", () => {
    const packed = packAll([3, 0, 9, 2], 4);
    expect(rows(packed)).toEqual([
      [
        [0, 0, 3],
        [2, 0, 1],
      ],
      [[2, 1, 4]],
      [[2, 5, 4]],
      [[3, 0, 2]],
    ]);
    expect(packed.fullCount).toBe(3);
    expect(packed.report).toMatchObject({
      documents: 4,
      empty: 1,
      split: 1,
      segments: 5,
      sequences: 4,
      fullSequences: 3,
      tokens: 14,
      padding: 0,
      unused: 2,
    });
  });

  test("reads any range of sequences alone", () => {
    const packed = packAll([5, 7, 1, 1, 30, 2], 8);
    const whole = rows(packed);
    for (let from = 0; from < packed.count; from++) {
      const table = packed.segments(from, from + 1);
      expect(plain(table.document)).toEqual(whole[from]!.map(([document]) => document));
      expect(plain(table.start)).toEqual(whole[from]!.map(([, start]) => start));
    }
  });

  test("every token of every usable document comes once, in order, inside its window", () => {
    fc.assert(
      fc.property(
        anyLengths,
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom(1, 2, 4),
        fc.constantFrom("split" as const, "truncate" as const, "drop" as const),
        (lengths, units, alignment, overlong) => {
          const window = units * 4;
          fc.pre(overlong !== "drop" || lengths.some((l) => l > 0 && l <= window));
          const packed = packAll(lengths, window, { alignment, overlong });
          const seen = lengths.map(() => 0);
          let padding = 0;
          for (const sequence of rows(packed)) {
            const taken = sum(sequence.map((row) => Math.ceil(row[2]! / alignment) * alignment));
            expect(taken).toBeLessThanOrEqual(window);
            for (const [document, start, length] of sequence) {
              expect(start).toBe(seen[document!]);
              expect(length).toBeGreaterThan(0);
              seen[document!]! += length!;
              padding += Math.ceil(length! / alignment) * alignment - length!;
            }
          }
          const wanted = lengths.map((length) =>
            length <= window || overlong === "split" ? length : overlong === "drop" ? 0 : window,
          );
          expect(seen).toEqual(wanted);
          const { report } = packed;
          expect(report.padding).toBe(padding);
          expect(report.tokens).toBe(sum(wanted));
          expect(report.tokens + report.truncatedTokens + report.droppedTokens).toBe(sum(lengths));
          expect(report.unused + report.tokens + report.padding).toBe(packed.count * window);
        },
      ),
    );
  });

  test("B7: no padding unless alignment is asked for", () => {
    expect(packAll([7, 5, 4], 16).report.padding).toBe(0);
    expect(packAll([7, 5, 4], 20, { alignment: 4 }).report.padding).toBe(4);
  });
});
