import { createSampler, cuSeqlensOf } from "@libra/sampler";
import { contiguousRows, ownedCount, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinDocuments, lengthsOf, shortenDocuments } from "../../src/data/documents.js";
import { noTarget, ownedRowsOf, wholeSequence } from "../../src/data/sequence.js";

/** Documents packed in their order into one window. */
function packed(parts: number[][], window = parts.flat().length) {
  const documents = joinDocuments(parts.map((part) => Int32Array.from(part)));
  const sampler = createSampler({ lengths: lengthsOf(documents), window, dp: 1, shuffle: false });
  return { documents, plan: sampler.next() };
}

const shards = (parts: number[][], cp: number, zigzag = false) => {
  const { documents, plan } = packed(parts);
  const whole = wholeSequence(plan, 0, documents);
  const owned = zigzag
    ? zigzagRows(cuSeqlensOf(plan, 0), cp)
    : contiguousRows(whole.ids.length, cp);
  return Array.from({ length: cp }, (_, c) => ownedRowsOf(whole, owned, c));
};

describe("a packed sequence", () => {
  it("restarts positions in each document (case B1)", () => {
    const { documents, plan } = packed([
      [10, 11, 12],
      [20, 21],
    ]);
    expect([...wholeSequence(plan, 0, documents).positions]).toEqual([0, 1, 2, 0, 1]);
  });

  it("predicts nothing across documents (case B9)", () => {
    const { documents, plan } = packed([
      [10, 11, 12],
      [20, 21],
    ]);
    expect([...wholeSequence(plan, 0, documents).targets]).toEqual([11, 12, -100, 21, -100]);
    expect(plan.targets).toBe(3);
  });

  it("loses no target at a shard's border (case B8)", () => {
    const tokens = [[1, 2, 3, 4, 5, 6, 7, 8]];
    expect(shards(tokens, 2).map(({ targets }) => [...targets])).toEqual([
      [2, 3, 4, 5],
      [6, 7, 8, -100],
    ]);
    const zigzag = shards(tokens, 2, true);
    expect(zigzag.map(({ ids }) => [...ids])).toEqual([
      [1, 2, 7, 8],
      [3, 4, 5, 6],
    ]);
    expect(zigzag.map(({ targets }) => [...targets])).toEqual([
      [2, 3, 8, -100],
      [4, 5, 6, 7],
    ]);
  });

  it("gives zigzag shards positions inside their documents (case B10)", () => {
    const documents = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ];
    const [first] = shards(documents, 2, true);
    expect([...first!.positions]).toEqual([0, 3, 0, 3]);
    expect([...first!.ids]).toEqual([1, 4, 5, 8]);
  });

  it("treats a piece that packing cut off as a document of its own", () => {
    const { documents, plan } = packed([[1, 2, 3, 4, 5, 6]], 4);
    const rows = wholeSequence(plan, 0, documents);
    expect([...rows.ids]).toEqual([1, 2, 3, 4]);
    expect([...rows.targets]).toEqual([2, 3, 4, -100]);
  });

  it("counts nothing of a filler", () => {
    const documents = joinDocuments([Int32Array.of(1, 2, 3)]);
    const lengths = lengthsOf(documents);
    const sampler = createSampler({ lengths, window: 4, dp: 2, shuffle: false, dropLast: false });
    const plan = sampler.next();
    const slots = [0, 1].map((slot) => wholeSequence(plan, slot, documents));
    expect(slots.map(({ ids }) => ids.length).sort()).toEqual([0, 3]);
    expect(plan.targets).toBe(2);
  });

  it("keeps, for any lengths and shards, every token, target and position", () => {
    const shape = fc.record({
      lengths: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 }),
      window: fc.integer({ min: 2, max: 12 }),
      cp: fc.integer({ min: 1, max: 8 }),
      zigzag: fc.boolean(),
    });
    fc.assert(
      fc.property(shape, ({ lengths, window, cp, zigzag }) => {
        fc.pre(lengths.reduce((sum, length) => sum + length, 0) > 0);
        let next = 0;
        const parts = lengths.map((length) => Int32Array.from({ length }, () => next++));
        const documents = joinDocuments(parts);
        const sampler = createSampler({
          lengths: lengthsOf(documents),
          window,
          dp: 2,
          dropLast: false,
        });
        const plan = sampler.next();
        let targets = 0;
        for (const slot of [0, 1]) {
          const whole = wholeSequence(plan, slot, documents);
          const cuSeqlens = cuSeqlensOf(plan, slot);
          const owned = zigzag ? zigzagRows(cuSeqlens, cp) : contiguousRows(whole.ids.length, cp);
          const seen: number[] = [];
          for (let c = 0; c < cp; c += 1) {
            const rows = ownedRowsOf(whole, owned, c);
            expect(rows.ids.length).toBe(ownedCount(owned, c));
            seen.push(...rows.ids);
            for (const [row, target] of rows.targets.entries()) {
              // Ids count through the corpus, so the target is known.
              if (target !== noTarget) expect(target).toBe(rows.ids[row]! + 1);
              if (target !== noTarget) targets += 1;
            }
          }
          expect(seen.sort((a, b) => a - b)).toEqual([...whole.ids].sort((a, b) => a - b));
          for (let d = 0; d + 1 < cuSeqlens.length; d += 1) {
            const [start, end] = [cuSeqlens[d]!, cuSeqlens[d + 1]!];
            const positions = [...whole.positions.subarray(start, end)];
            expect(positions).toEqual(positions.map((_, i) => i));
            expect(whole.targets[end - 1]).toBe(noTarget);
          }
        }
        expect(targets).toBe(plan.targets);
      }),
      { numRuns: 100 },
    );
  });
});

describe("shortened documents", () => {
  it("keep their proportions, at least one token, and their beginnings", () => {
    const documents = {
      ...joinDocuments([
        Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8),
        Int32Array.of(9),
        new Int32Array(0),
      ]),
      vocabulary: 10,
    };
    const short = shortenDocuments(documents, 0.25);
    expect([...short.ids]).toEqual([1, 2, 9]);
    expect([...lengthsOf(short)]).toEqual([2, 1, 0]);
    expect(shortenDocuments(documents, 1)).toBe(documents);
  });
});
