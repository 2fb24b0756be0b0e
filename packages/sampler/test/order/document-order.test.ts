import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentOrder } from "../../src/order/document-order.js";
import { plain } from "../helpers.js";

const order = (count: number, seed: number, epoch: number, shuffle = true) =>
  plain(documentOrder(count, epoch, { seed, shuffle, order: "libra" }));

describe("documentOrder", () => {
  test("is a permutation for any count, seed and epoch", () => {
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.maxSafeNat(),
        fc.nat(1000),
        fc.constantFrom("libra" as const, "torch" as const),
        (count, seed, epoch, name) => {
          const documents = documentOrder(count, epoch, {
            seed: Math.floor(seed / 2),
            shuffle: true,
            order: name,
          });
          expect(plain(documents.sort())).toEqual(Array.from({ length: count }, (_, i) => i));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("A6: seed 0 is a seed, epochs differ, equal arguments give equal orders", () => {
    expect(order(100, 0, 0)).toEqual(order(100, 0, 0));
    expect(order(100, 0, 0)).not.toEqual(order(100, 1, 0));
    expect(order(100, 0, 0)).not.toEqual(order(100, 0, 1));
    expect(order(100, 2 ** 32, 0)).not.toEqual(order(100, 0, 0));
    expect(order(5, 3, 9, false)).toEqual([0, 1, 2, 3, 4]);
  });

  test("stays the order it was, on any machine", () => {
    expect(order(12, 7, 3)).toMatchInlineSnapshot(`
      [
        7,
        3,
        1,
        8,
        5,
        4,
        10,
        0,
        11,
        2,
        9,
        6,
      ]
    `);
  });

  test("every document comes first about equally often", () => {
    const firsts = new Uint32Array(8);
    for (let epoch = 0; epoch < 8000; epoch++) firsts[order(8, 5, epoch)[0]!]!++;
    for (const count of firsts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
