import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attentionFlops,
  causalMask,
  causalPairs,
  fullMask,
  type Mask,
  maskPairs,
  paddedSegmentPairs,
  segmentPairs,
  slidingMask,
} from "../src/index.js";

const masks = fc.oneof(
  fc.constant(causalMask),
  fc.constant(fullMask),
  fc.integer({ min: 1, max: 90 }).map(slidingMask),
);

function sees(mask: Mask, row: number, key: number): boolean {
  if (mask.kind === "full") return true;
  return key <= row && (mask.kind === "causal" || row - key < mask.slidingWindow);
}

function count(mask: Mask, rows: number[], keys: number): number {
  let pairs = 0;
  for (const row of rows) {
    for (let key = 0; key < keys; key++) if (sees(mask, row, key)) pairs++;
  }
  return pairs;
}

const range = (start: number, end: number) =>
  Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

describe("pairs", () => {
  it("equal a count of visible pairs for any mask and row range", () => {
    fc.assert(
      fc.property(masks, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (mask, start, size) => {
        const end = start + size;
        expect(maskPairs(mask, start, end)).toBe(count(mask, range(start, end), end));
      }),
    );
  });

  it("equal a count for bottom-right segments, fewer keys than rows included", () => {
    fc.assert(
      fc.property(masks, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (mask, rows, keys) => {
        expect(segmentPairs(mask, rows, keys)).toBe(count(mask, range(keys - rows, keys), keys));
      }),
    );
  });

  it("add up over row ranges", () => {
    fc.assert(
      fc.property(
        masks,
        fc.array(fc.nat({ max: 1e6 }), { minLength: 3, maxLength: 3 }),
        (mask, cuts) => {
          const [a, b, c] = cuts.sort((x, y) => x - y) as [number, number, number];
          const parts = maskPairs(mask, a, b, c) + maskPairs(mask, b, c, c);
          expect(parts).toBe(maskPairs(mask, a, c, c));
        },
      ),
    );
  });

  it("pad rows to whole blocks", () => {
    expect(paddedSegmentPairs(fullMask, 5, 10, 4)).toBe(80);
    expect(paddedSegmentPairs(causalMask, 5, 10, 4)).toBe(6 + 7 + 8 + 9 + 10 + 3 * 10);
    expect(paddedSegmentPairs(slidingMask(3), 5, 10, 4)).toBe(8 * 3);
    expect(paddedSegmentPairs(causalMask, 8, 8, 4)).toBe(causalPairs(0, 8));
  });

  it("refuses wrong masks", () => {
    expect(() => slidingMask(0)).toThrow(
      "Expected a positive integer for slidingWindow but received 0",
    );
    expect(() => maskPairs({ kind: "alibi" } as never, 0, 4)).toThrow("causal, full or sliding");
  });
});

describe("attentionFlops", () => {
  const equal = { headDim: 128, valueDim: 128 };

  it("counts two products forward and five or seven backward", () => {
    expect(attentionFlops("forward", equal, 10)).toBe(2 * 256 * 10);
    expect(attentionFlops("backward", equal, 10)).toBe(2.5 * attentionFlops("forward", equal, 10));
    expect(attentionFlops("backward", equal, 10, 7)).toBe(
      3.5 * attentionFlops("forward", equal, 10),
    );
    expect(attentionFlops("backward", { headDim: 4, valueDim: 6 }, 1)).toBe(2 * (12 + 12));
  });

  it("refuses another number of products", () => {
    expect(() => attentionFlops("backward", equal, 1, 6 as never)).toThrow("5 or 7");
  });
});
