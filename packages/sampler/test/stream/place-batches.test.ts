import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cuSeqlensOf, type PlacedStep, placeBatches } from "../../src/index.js";
import { anyLengths, lognormalLengths, plain, sum } from "../helpers.js";

interface Document {
  id: number;
  tokens: number;
}

const lengthOf = (document: Document) => document.tokens;

async function* stream(lengths: Iterable<number>, onRead?: (id: number) => void) {
  let id = 0;
  for (const tokens of lengths) {
    onRead?.(id);
    yield { id: id++, tokens };
  }
}

async function all<Item>(steps: AsyncIterable<PlacedStep<Item>>): Promise<PlacedStep<Item>[]> {
  const result: PlacedStep<Item>[] = [];
  for await (const step of steps) result.push(step);
  return result;
}

describe("placeBatches", () => {
  test("every token of every document once, in steps of whole windows", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLengths,
        fc.integer({ min: 2, max: 30 }),
        fc.constantFrom("concatSplit" as const, "bestFit" as const, "sequential" as const),
        fc.constantFrom("split" as const, "truncate" as const, "drop" as const),
        async (lengths, window, packing, overlong) => {
          const steps = await all(
            placeBatches(stream(lengths), {
              lengthOf,
              window,
              packing,
              overlong,
              lookAhead: 7,
              dp: 2,
              microSteps: 2,
              poolSize: 2,
              dropLast: false,
            }),
          );
          const seen = lengths.map(() => 0);
          for (const { plan, items, itemNumbers } of steps) {
            expect(items.map(({ id }) => id)).toEqual(plain(itemNumbers));
            for (let i = 0; i < plan.segmentDocument.length; i++) {
              const { id } = items[plan.segmentDocument[i]!]!;
              seen[id]! += plan.segmentLength[i]!;
            }
            for (let slot = 0; slot < 4; slot++) {
              expect(cuSeqlensOf(plan, slot).at(-1)).toBeLessThanOrEqual(window);
            }
          }
          expect(seen).toEqual(
            lengths.map((length) =>
              length <= window || overlong === "split" ? length : overlong === "drop" ? 0 : window,
            ),
          );
          const report = steps.at(-1)?.report;
          if (report) expect(report.tokens).toBe(sum(seen));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("balances a stream, and starts each item where it was cut", async () => {
    const lengths = lognormalLengths(4000, 4, { median: 300, sigma: 1.3, clip: 2048 });
    const steps = await all(
      placeBatches(stream(lengths), { lengthOf, window: 2048, dp: 16, poolSize: 4 }),
    );
    expect(steps.length).toBeGreaterThan(20);
    const mean = (pick: (step: PlacedStep<Document>) => number) =>
      sum(steps.map(pick)) / steps.length;
    expect(mean(({ plan }) => plan.stepSkew)).toBeLessThan(mean(({ plan }) => plan.arrivalSkew));
    const next = new Map<number, number>();
    for (const { plan, items } of steps) {
      const order = plain(plan.segmentDocument.keys()).sort(
        (a, b) =>
          plan.segmentDocument[a]! - plan.segmentDocument[b]! ||
          plan.segmentStart[a]! - plan.segmentStart[b]!,
      );
      for (const i of order) {
        const { id } = items[plan.segmentDocument[i]!]!;
        expect(plan.segmentStart[i]).toBe(next.get(id) ?? 0);
        next.set(id, plan.segmentStart[i]! + plan.segmentLength[i]!);
      }
    }
  });

  test("packed sequences stay as they are", async () => {
    const sequences = [[4, 4], [1, 7], [8], [2, 2, 2, 2], [5, 0, 3], [6, 2]];
    const steps = await all(
      placeBatches(sequences, { lengthOf: (sequence) => sequence, window: 8, dp: 2, poolSize: 1 }),
    );
    expect(steps.length).toBe(3);
    for (const { plan, items } of steps) {
      for (let slot = 0; slot < 2; slot++) {
        const from = plan.segmentOffsets[slot]!;
        const sequence = items[plan.segmentDocument[from]!]!;
        const lengths = plan.segmentLength.subarray(from, plan.segmentOffsets[slot + 1]);
        expect(plain(lengths)).toEqual(sequence.filter((length) => length > 0));
      }
    }
    const tooLong = placeBatches([[5, 4]], { lengthOf: (sequence) => sequence, window: 8, dp: 1 });
    await expect(all(tooLong)).rejects.toThrow("Packed sequence 0 takes 9 tokens");
  });

  test("reads no further than the step that is asked for", async () => {
    let read = -1;
    const endless = function* () {
      for (;;) yield 10;
    };
    const steps = placeBatches(
      stream(endless(), (id) => {
        read = id;
      }),
      { lengthOf, window: 100, dp: 4 },
    );
    expect(read).toBe(-1);
    for (let step = 1; step <= 20; step++) {
      await steps.next();
      expect(read).toBe(40 * step - 1);
    }
    await steps.return();
  });

  test("names the item whose length is wrong, and refuses strategies that keep documents", async () => {
    const wrong = placeBatches(stream([3, 4, -1]), { lengthOf, window: 8, dp: 4 });
    await expect(all(wrong)).rejects.toThrow("for the length of item 2 but received -1");
    const long = placeBatches(stream([3, 9]), { lengthOf, window: 8, dp: 4, overlong: "error" });
    await expect(all(long)).rejects.toThrow("Document 1 has 9 tokens, above the window of 8");
    const wlb = placeBatches(stream([3]), { lengthOf, window: 8, dp: 4, placement: "wlb" });
    await expect(all(wlb)).rejects.toThrow(/wlb keeps documents/);
  });
});
