import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { libra, type TilePlan, tileSegments, ulysses } from "../../src/index.js";
import { anyPool, poolOf } from "../support/pools.js";

// Keys that a row sees, from the definition.
function visible(plan: TilePlan, t: number, row: number): number[] {
  const cu = plan.sequences[plan.sequence[t]!]!;
  const keys: number[] = [];
  for (let k = plan.keyStart[t]!; k < plan.keyStart[t]! + plan.keyCount[t]!; k++) {
    const sameDocument = !cu.some((border) => border > k && border <= row);
    if (k <= row && sameDocument) keys.push(k);
  }
  return keys;
}

function checkSegments(plan: TilePlan): void {
  const group = plan.heads.queryHeads / plan.heads.kvHeads;
  for (let t = 0; t < plan.count; t++) {
    const seen = new Map<string, number>();
    for (const segment of tileSegments(plan, t)) {
      for (let h = segment.headStart; h < segment.headStart + segment.headCount; h++) {
        expect(Math.floor(h / group)).toBe(segment.kvHead);
        for (let i = 0; i < segment.rowCount; i++) {
          const row = segment.rowStart + i;
          const rect = segment.keyCount;
          const count = segment.causal ? rect - segment.rowCount + i + 1 : rect;
          const keys = Array.from({ length: count }, (_, k) => segment.keyStart + k);
          expect(keys).toEqual(visible(plan, t, row));
          seen.set(`${h} ${row}`, (seen.get(`${h} ${row}`) ?? 0) + 1);
        }
      }
    }
    expect(seen.size).toBe(plan.rowCount[t]! * plan.headCount[t]!);
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
  }
}

describe("tileSegments", () => {
  it("cover the tile once and show every row its keys", () => {
    fc.assert(
      fc.property(anyPool, (input) => {
        checkSegments(libra().plan(input));
        checkSegments(ulysses({ chunks: 2 }).plan(input));
      }),
      { numRuns: 40 },
    );
  });

  it("cut key ranges into rows without keys, causal rows and full rows", () => {
    const base = ulysses({ chunks: 1 }).plan(poolOf([[10, 6]], 1, 2, 1));
    for (let keyStart = 0; keyStart < 16; keyStart++) {
      for (let keyCount = 0; keyStart + keyCount <= 16; keyCount++) {
        checkSegments({
          ...base,
          keyStart: Int32Array.of(keyStart),
          keyCount: Int32Array.of(keyCount),
        });
      }
    }
  });
});
