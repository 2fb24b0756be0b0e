import { plannerNames } from "@libra/scheduler";
import { customRows, stripedRows, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differing, heads, largestError, type PoolCase, runPool } from "./support/pool.js";

/** Rows dealt to the ranks by a fixed pattern that no interval length divides. */
function scattered(cuSeqlens: Int32Array, cp: number) {
  const rows = cuSeqlens.at(-1)!;
  const intervals = Array.from({ length: cp }, (): [number, number][] => []);
  for (let row = 0, turn = 0; row < rows; turn += 1) {
    const end = Math.min(rows, row + 1 + ((turn * 7) % 5));
    intervals[(turn * 3) % cp]!.push([row, end]);
    row = end;
  }
  return customRows(rows, intervals);
}

const partitions = {
  contiguous: undefined,
  zigzag: zigzagRows,
  scattered,
  striped: (cuSeqlens: Int32Array, cp: number) =>
    stripedRows(cuSeqlens, cp, { stripes: 3, nodes: { ranksPerNode: 2 } }),
};

const pools = fc
  .record({
    shape: fc.constantFrom(
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 5],
      [2, 1],
      [2, 2],
      [3, 1],
      [5, 1],
      [3, 2],
      [1, 8],
      [8, 1],
      [2, 4],
      [4, 2],
    ),
    lengths: fc.array(fc.array(fc.oneof(fc.nat(3), fc.nat(40)), { maxLength: 4 }), {
      minLength: 8,
      maxLength: 8,
    }),
    kvHeads: fc.integer({ min: 1, max: 3 }),
    group: fc.integer({ min: 1, max: 3 }),
    headDim: fc.integer({ min: 1, max: 20 }),
    valueDim: fc.integer({ min: 1, max: 20 }),
    planner: fc.constantFrom("libra", ...plannerNames),
    hops: fc.constantFrom(1, 2 as const),
    ranksPerNode: fc.integer({ min: 1, max: 3 }),
    partition: fc.constantFrom("contiguous", "zigzag", "scattered", "striped" as const),
    rowBlock: fc.integer({ min: 1, max: 9 }),
    keepTiles: fc.boolean(),
    surplus: fc.constantFrom("heads", "documents" as const),
    scale: fc.constantFrom(undefined, 0.3),
  })
  .map(
    ({
      shape,
      lengths,
      kvHeads,
      group,
      headDim,
      valueDim,
      partition,
      scale,
      hops,
      ranksPerNode,
      surplus,
      ...rest
    }): PoolCase => {
      const own = partitions[partition as keyof typeof partitions];
      return {
        ...rest,
        plannerOptions: { surplus: surplus as "heads" | "documents" },
        hops: hops as 1 | 2,
        nodes: { ranksPerNode },
        documents: lengths.slice(0, shape[0]),
        cp: shape[1]!,
        heads: heads(kvHeads * group, kvHeads, headDim, valueDim),
        ...(own === undefined ? {} : { own }),
        ...(scale === undefined ? {} : { scale }),
      };
    },
  );

describe("random pools", { timeout: 120_000 }, () => {
  it("agree with float64, forward and backward", async () => {
    await fc.assert(
      fc.asyncProperty(pools, async (pool) => {
        expect(largestError(pool, await runPool(pool))).toBeLessThan(4e-6);
      }),
      { numRuns: 250, seed: 20 },
    );
  });

  it("agree with float64 to the rounding of bfloat16", async () => {
    await fc.assert(
      fc.asyncProperty(pools, async (pool) => {
        const narrow: PoolCase = { ...pool, dtype: "bfloat16" };
        expect(largestError(narrow, await runPool(narrow))).toBeLessThan(2 ** -6);
      }),
      { numRuns: 40, seed: 22 },
    );
  });

  it("give the same bits whether home tiles are computed in place or sent", async () => {
    const owners = fc.record({
      pool: pools,
      dtype: fc.constantFrom("float32", "bfloat16" as const),
    });
    await fc.assert(
      fc.asyncProperty(owners, async ({ pool, dtype }) => {
        const one: PoolCase = { ...pool, cp: 1, dtype: dtype as "float32" | "bfloat16" };
        const inPlace = await runPool(one);
        expect(differing(inPlace, await runPool({ ...one, inPlace: false }))).toEqual([]);
      }),
      { numRuns: 50, seed: 21 },
    );
  });

  it("give the same bits with kept tiles", async () => {
    const pool: PoolCase = { documents: [[23, 9], [4]], heads: heads(4, 2, 8), cp: 2 };
    const kept = await runPool({ ...pool, keepTiles: true });
    const sent = await runPool({ ...pool, keepTiles: false });
    expect(differing(kept, sent)).toEqual([]);
    for (const [worker, stats] of kept.stats.entries()) {
      expect(stats.keptBytes).toBeGreaterThan(0);
      expect(stats.backward.last.bytesSent).toBeLessThan(
        sent.stats[worker]!.backward.last.bytesSent,
      );
    }
  });
});
