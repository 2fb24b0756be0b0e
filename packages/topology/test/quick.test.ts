import { expect, it } from "vitest";
import {
  contiguousRows,
  createLayout,
  discoverRank,
  documentPositions,
  ownedIndices,
  poolsOf,
  zigzagRows,
} from "../src/index.js";

it("works", () => {
  expect(createLayout({ world: 32, tp: 8, cp: 2 }).dp).toBe(2);
  expect(() => createLayout({ world: 6, cp: 4 })).toThrow("cp 1, 2, 3, 6");
  const z = zigzagRows(Int32Array.of(0, 4, 8), 2);
  expect([...ownedIndices(z, 0)]).toEqual([0, 3, 4, 7]);
  expect([...documentPositions([0, 4, 8], z, 0)]).toEqual([0, 3, 0, 3]);
  expect(poolsOf(createLayout({ world: 8, cp: 2 }), 2).map((p) => p.ranks)).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ]);
  expect(contiguousRows(9, 4).ends).toEqual(Int32Array.of(3, 5, 7, 9));
  expect(discoverRank({})).toMatchObject({ rank: 0, worldSize: 1 });
});
