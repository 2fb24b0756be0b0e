import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contiguousRows,
  customRows,
  documentPositions,
  type OwnedRows,
  ownedCount,
  ownedIndices,
  requireCuSeqlens,
  zigzagRows,
} from "../src/index.js";
import { bordersOf } from "./support/borders.js";

const counts = (owned: OwnedRows) =>
  Array.from({ length: owned.cp }, (_, c) => ownedCount(owned, c));
const indices = (owned: OwnedRows) =>
  Array.from({ length: owned.cp }, (_, c) => [...ownedIndices(owned, c)]);

const lengthLists = fc.array(fc.nat({ max: 30 }), { maxLength: 8 });
const cps = fc.integer({ min: 1, max: 9 });

function expectPartition(owned: OwnedRows): void {
  expect(owned.offsets).toHaveLength(owned.cp + 1);
  expect(owned.starts).toHaveLength(owned.offsets[owned.cp]!);
  const rows = indices(owned)
    .flat()
    .sort((a, b) => a - b);
  expect(rows).toEqual(Array.from({ length: owned.rows }, (_, row) => row));
  for (let c = 0; c < owned.cp; c++) {
    for (let i = owned.offsets[c]!; i < owned.offsets[c + 1]!; i++) {
      expect(owned.ends[i]!).toBeGreaterThan(owned.starts[i]!);
      if (i > owned.offsets[c]!) expect(owned.starts[i]!).toBeGreaterThan(owned.ends[i - 1]!);
    }
  }
}

describe("A10: sizes differ by at most one, larger first", () => {
  it("nine rows over four ranks, two rows over four ranks", () => {
    expect(counts(contiguousRows(9, 4))).toEqual([3, 2, 2, 2]);
    expect(counts(contiguousRows(2, 4))).toEqual([1, 1, 0, 0]);
    expect(counts(contiguousRows(0, 3))).toEqual([0, 0, 0]);
  });

  it("holds for any shape", () => {
    fc.assert(
      fc.property(fc.nat({ max: 200 }), cps, (rows, cp) => {
        const owned = contiguousRows(rows, cp);
        expectPartition(owned);
        const sizes = counts(owned);
        expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
        expect(sizes[0]! - sizes.at(-1)!).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("B10: positions of zigzag rows", () => {
  it("restart in every document", () => {
    const owned = zigzagRows(Int32Array.of(0, 4, 8), 2);
    expect(indices(owned)).toEqual([
      [0, 3, 4, 7],
      [1, 2, 5, 6],
    ]);
    expect([...documentPositions([0, 4, 8], owned, 0)]).toEqual([0, 3, 0, 3]);
    expect([...documentPositions([0, 4, 8], owned, 1)]).toEqual([1, 2, 1, 2]);
  });

  it("are the row minus its document's start, for any partition", () => {
    fc.assert(
      fc.property(lengthLists, cps, (lengths, cp) => {
        const borders = bordersOf(lengths);
        const rows = borders.at(-1)!;
        for (const owned of [zigzagRows(borders, cp), contiguousRows(rows, cp)]) {
          for (let c = 0; c < cp; c++) {
            const wanted = [...ownedIndices(owned, c)].map(
              (row) => row - Math.max(...borders.filter((border) => border <= row)),
            );
            expect([...documentPositions(borders, owned, c)]).toEqual(wanted);
          }
        }
      }),
    );
  });
});

describe("zigzagRows", () => {
  it("gives rank c chunks c and 2·C − 1 − c, joined where they touch", () => {
    const owned = zigzagRows([0, 12], 3);
    expect(owned.starts).toEqual(Int32Array.of(0, 10, 2, 8, 4));
    expect(owned.ends).toEqual(Int32Array.of(2, 12, 4, 10, 8));
    expect(owned.offsets).toEqual(Int32Array.of(0, 2, 4, 5));
  });

  it("B6, B7: needs no padding", () => {
    expect(indices(zigzagRows([0, 7], 2))).toEqual([
      [0, 1, 6],
      [2, 3, 4, 5],
    ]);
    expect(zigzagRows([0, 7, 12, 16], 2).rows).toBe(16);
  });

  it("is a partition for any documents, empty ones included", () => {
    fc.assert(
      fc.property(lengthLists, cps, (lengths, cp) => {
        expectPartition(zigzagRows(bordersOf(lengths), cp));
      }),
    );
  });
});

describe("customRows", () => {
  it("is a partition for any owner of every row", () => {
    const owners = cps.chain((cp) =>
      fc.record({
        cp: fc.constant(cp),
        owner: fc.array(fc.nat({ max: cp - 1 }), { maxLength: 40 }),
      }),
    );
    fc.assert(
      fc.property(owners, ({ cp, owner }) => {
        const lists = Array.from({ length: cp }, (_, c) =>
          owner.flatMap((o, row) => (o === c ? [[row, row + 1] as const] : [])),
        );
        const owned = customRows(owner.length, lists);
        expectPartition(owned);
        indices(owned).forEach((rows, c) => {
          for (const row of rows) expect(owner[row]).toBe(c);
        });
      }),
    );
  });

  it("names what is wrong", () => {
    expect(() => customRows(6, [[[0, 2]], [[3, 6]]])).toThrow(
      "Row 2 of the packed sequence of 6 rows has no owner",
    );
    expect(() => customRows(6, [[[0, 4]], [[3, 6]]])).toThrow(
      "Row 3 of the packed sequence has two owners",
    );
    expect(() => customRows(6, [[[0, 3]], [[3, 5]]])).toThrow("Row 5");
    expect(() => customRows(6, [[[0, 3]], [[3, 7]]])).toThrow("intervals[1][0] end");
    expect(() =>
      customRows(6, [
        [
          [3, 6],
          [0, 3],
        ],
      ]),
    ).toThrow("intervals[0][1] start");
    expect(() => customRows(6, [])).toThrow("at least one list");
    expect(() => ownedCount(contiguousRows(4, 2), 2)).toThrow("for cpIndex");
    expect(() => contiguousRows(4, 0)).toThrow("for cp");
  });
});

describe("B4: document borders are checked", () => {
  it.each([
    [
      [0, 256, 512, 768],
      256,
      "Expected 256, the sequence's rows, for cuSeqlens's last border but received 768",
    ],
    [[1, 256], 256, "Expected 0 for cuSeqlens[0] but received 1"],
    [
      [0, 200, 100, 256],
      256,
      "Expected an integer from 200 to 2147483647 for cuSeqlens[2] but received 100",
    ],
    [[0, 256.5], 256, "cuSeqlens[1] but received 256.5"],
    [[], 0, "Expected a list that begins with 0"],
    [[0, 2 ** 31], undefined, "from 0 to 2147483647"],
  ])("%j of %s rows", (borders, rows, message) => {
    expect(() => requireCuSeqlens(borders, rows)).toThrow(message);
  });

  it("accepts empty documents and no documents", () => {
    expect(requireCuSeqlens([0, 0, 3, 3], 3)).toEqual(Int32Array.of(0, 0, 3, 3));
    const none = Int32Array.of(0);
    expect(requireCuSeqlens(none, 0)).toBe(none);
  });
});
