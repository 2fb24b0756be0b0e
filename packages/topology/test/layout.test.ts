import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  axes,
  coordinatesOf,
  createLayout,
  groupRank,
  groupsOf,
  type Layout,
  poolOfRank,
  poolsOf,
  rankOf,
} from "../src/index.js";

const size = fc.integer({ min: 1, max: 4 });
const layouts = fc
  .record({ tp: size, cp: size, dp: size, pp: size })
  .map(({ tp, cp, dp, pp }) => createLayout({ world: tp * cp * dp * pp, tp, cp, pp }));

const sorted = (groups: readonly (readonly number[])[]) => groups.flat().sort((a, b) => a - b);
const world = (layout: Layout) => Array.from({ length: layout.world }, (_, rank) => rank);

describe("C20: group sizes multiply to the world", () => {
  it("gives dp what is left", () => {
    expect(createLayout({ world: 32, tp: 8, cp: 2 })).toEqual({
      world: 32,
      tp: 8,
      cp: 2,
      dp: 2,
      pp: 1,
    });
    expect(Object.isFrozen(createLayout({ world: 1 }))).toBe(true);
  });

  it("shows the equation and the valid values", () => {
    expect(() => createLayout({ world: 6, cp: 4 })).toThrow(
      "tp 1 × cp 4 × pp 1 = 4 does not divide the world of 6; valid with the other sizes kept: cp 1, 2, 3, 6",
    );
    expect(() => createLayout({ world: 6, cp: 4 })).toThrowError(
      expect.objectContaining({ code: "LAYOUT" }),
    );
    expect(() => createLayout({ world: 32, tp: 8, cp: 2, dp: 4 })).toThrow(
      "tp 8 × cp 2 × dp 4 × pp 1 = 64, not the world of 32; valid with the other sizes kept: tp 4; cp 1; dp 2",
    );
    expect(() => createLayout({ world: 6, tp: 4, cp: 4 })).toThrow("must divide 6: 1, 2, 3, 6");
    expect(() => createLayout({ world: 4, dp: 2 })).toThrow("= 2, not the world of 4");
    expect(() => createLayout({ world: 2, cp: 4 })).toThrow("cp 1, 2");
  });

  it("refuses sizes that are not positive integers", () => {
    expect(() => createLayout({ world: 0 })).toThrow(
      "Expected a positive integer for world but received 0",
    );
    expect(() => createLayout({ world: 4, cp: 1.5 })).toThrow("for cp");
  });
});

describe("ranks", () => {
  it("run in Megatron's order, tp fastest, then cp, dp and pp", () => {
    const layout = createLayout({ world: 24, tp: 2, cp: 2, dp: 3, pp: 2 });
    expect(rankOf(layout, { tp: 1, cp: 0, dp: 0, pp: 0 })).toBe(1);
    expect(rankOf(layout, { tp: 0, cp: 1, dp: 0, pp: 0 })).toBe(2);
    expect(rankOf(layout, { tp: 0, cp: 0, dp: 1, pp: 0 })).toBe(4);
    expect(rankOf(layout, { tp: 0, cp: 0, dp: 0, pp: 1 })).toBe(12);
    expect(groupsOf(layout, "dp-cp")[0]).toEqual([0, 2, 4, 6, 8, 10]);
    expect(groupsOf(layout, "pp")[1]).toEqual([1, 13]);
  });

  it("and positions are inverse", () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        for (const rank of world(layout)) {
          expect(rankOf(layout, coordinatesOf(layout, rank))).toBe(rank);
        }
      }),
    );
  });

  it("outside the world are refused", () => {
    const layout = createLayout({ world: 4, cp: 2 });
    expect(() => coordinatesOf(layout, 4)).toThrow(
      "Expected an integer from 0 to 3 for rank but received 4",
    );
    expect(() => rankOf(layout, { tp: 0, cp: 2, dp: 0, pp: 0 })).toThrow("for cp index");
  });
});

describe("groups", () => {
  it("are a partition of the world along every axis, ascending", () => {
    fc.assert(
      fc.property(layouts, fc.constantFrom(...axes), (layout, axis) => {
        const groups = groupsOf(layout, axis);
        const length = axis === "dp-cp" ? layout.dp * layout.cp : layout[axis];
        expect(sorted(groups)).toEqual(world(layout));
        for (const group of groups) {
          expect(group).toHaveLength(length);
          expect(group).toEqual([...group].sort((a, b) => a - b));
        }
        expect(groups.map((group) => group[0])).toEqual(
          groups.map((group) => group[0]!).sort((a, b) => a - b),
        );
      }),
    );
  });

  it("refuses an unknown axis", () => {
    expect(() => groupsOf(createLayout({ world: 1 }), "ep" as never)).toThrow(
      "tp, cp, dp, pp, dp-cp",
    );
  });
});

describe("A18: one packed sequence per CP group", () => {
  it.each([
    [8, 1],
    [2, 4],
    [1, 8],
  ])("world 8, cp %i: %i packed sequences a micro-step", (cp, sequences) => {
    const layout = createLayout({ world: 8, cp });
    expect(layout.dp).toBe(sequences);
    expect(groupsOf(layout, "cp")).toHaveLength(sequences);
    for (const group of groupsOf(layout, "cp")) {
      const replicas = group.map((rank) => coordinatesOf(layout, rank).dp);
      expect(new Set(replicas).size).toBe(1);
    }
  });
});

describe("pools", () => {
  it("hold consecutive replicas at one (tp, pp) position, replica-major, then cp", () => {
    const layout = createLayout({ world: 16, tp: 2, cp: 2, dp: 4 });
    const pools = poolsOf(layout, 2);
    expect(pools.map((pool) => pool.ranks)).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5, 7],
      [8, 10, 12, 14],
      [9, 11, 13, 15],
    ]);
    expect(pools[3]).toMatchObject({ index: 3, tp: 1, pp: 0, firstReplica: 2, replicas: 2 });
  });

  it("are a partition of the world, and every rank finds its pool and worker", () => {
    fc.assert(
      fc.property(layouts, fc.nat(), (layout, choice) => {
        const sizes = world(layout).filter((p) => p > 0 && layout.dp % p === 0);
        const poolSize = sizes.length > 0 ? sizes[choice % sizes.length]! : 1;
        const pools = poolsOf(layout, poolSize);
        expect(sorted(pools.map((pool) => pool.ranks))).toEqual(world(layout));
        for (const rank of world(layout)) {
          const { pool, worker } = poolOfRank(layout, poolSize, rank);
          expect(pool).toEqual(pools[pool.index]);
          expect(pool.ranks[worker]).toBe(rank);
          const { cp, dp } = coordinatesOf(layout, rank);
          expect(worker).toBe((dp - pool.firstReplica) * layout.cp + cp);
          expect(Math.floor(dp / poolSize)).toBe(pool.firstReplica / poolSize);
        }
      }),
    );
  });

  it("of a size that does not divide dp are refused with the valid sizes", () => {
    const layout = createLayout({ world: 12, cp: 2 });
    expect(() => poolsOf(layout, 4)).toThrow("poolSize 4 does not divide dp 6; valid: 1, 2, 3, 6");
    expect(() => poolOfRank(layout, 5, 0)).toThrow("valid: 1, 2, 3, 6");
    expect(() => poolOfRank(layout, 2, 12)).toThrow("for rank");
  });
});

describe("C19: global rank and group rank", () => {
  it.each([[[0, 1]], [[2, 3]], [[0, 2]], [[1, 3]]])("pool %j counts its own ranks", (ranks) => {
    expect(ranks.map((rank) => groupRank(ranks, rank))).toEqual([0, 1]);
  });

  it("pools of strided ranks keep group ranks apart from global ranks", () => {
    const layout = createLayout({ world: 4, tp: 2, dp: 2 });
    expect(poolsOf(layout, 2).map((pool) => pool.ranks)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(groupRank(poolOfRank(layout, 2, 3).pool.ranks, 3)).toBe(1);
  });

  it("refuses a rank that is no member", () => {
    expect(() => groupRank([0, 2], 1)).toThrow("Rank 1 is not in the group of ranks 0, 2");
  });
});
