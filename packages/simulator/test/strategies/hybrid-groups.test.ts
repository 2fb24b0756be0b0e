import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hybridGroups, ranksNeeded } from "../../src/strategies/hybrid-groups.js";

const shape = { ranks: 8, tokensPerRank: 1000, slack: 0.05 };

describe("ranksNeeded", () => {
  it("is the least power of two that holds the document, at most all ranks", () => {
    expect([1, 1000, 1001, 2000, 2001, 9999].map((length) => ranksNeeded(length, shape))).toEqual([
      1, 1, 2, 2, 4, 8,
    ]);
    expect(ranksNeeded(9000, { ...shape, ranks: 6 })).toBe(6);
  });
});

describe("hybridGroups", () => {
  it("gives long documents more ranks and lets ranks left over join", () => {
    const [first, ...rest] = hybridGroups([4000, 2000, 1000], shape);
    expect(rest).toHaveLength(0);
    expect(first!.map(({ first: from, size, documents }) => [from, size, documents])).toEqual([
      [0, 4, [0]],
      [4, 2, [1]],
      [6, 2, [2]],
    ]);
  });

  it("starts a new micro-step for what does not fit", () => {
    const microSteps = hybridGroups([8000, 8000, 4000], shape);
    expect(microSteps.map((groups) => groups.map((group) => group.documents))).toEqual([
      [[0, 1]],
      [[2]],
    ]);
  });

  it("places every document once, groups apart and inside the ranks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(0, 0.05, 0.5),
        (lengths, ranks, slack) => {
          const microSteps = hybridGroups(lengths, { ranks, tokensPerRank: 1000, slack });
          const seen = microSteps.flat().flatMap((group) => group.documents);
          expect([...seen].sort((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
          for (const groups of microSteps) {
            let end = 0;
            for (const { first, size, documents, load } of groups) {
              expect(first).toBe(end);
              end = first + size;
              expect(documents.length).toBeGreaterThan(0);
              const work = documents.reduce((sum, d) => sum + lengths[d]! ** 2, 0) / size;
              expect(load).toBeCloseTo(work, 3);
            }
            expect(end).toBeLessThanOrEqual(ranks);
          }
        },
      ),
    );
  });
});
