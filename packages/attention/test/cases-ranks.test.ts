// The cases again where ranks exceed heads, rows and documents: CP 4, 5 and 8, pools up to 8, two hops.
import { launchLocal, rope } from "@libra/runtime";
import { plannerNames as planners } from "@libra/scheduler";
import { contiguousRows, documentPositions, ownedIndices, zigzagRows } from "@libra/topology";
import { describe, expect, it } from "vitest";
import { generate, generateData } from "./support/generate.js";
import {
  bordersOf,
  heads,
  largestError,
  type PoolCase,
  runPool,
  takeRows,
} from "./support/pool.js";

const tolerance = 2e-6;
const two = { hops: 2, nodes: { ranksPerNode: 3 } } as const;
const many = [4, 5, 8];

const packings: Record<string, PoolCase> = {
  "B5 a sequence without documents": { documents: [[]], heads: heads(2, 1, 4) },
  "B6 a length that 2·CP does not divide": { documents: [[7]], heads: heads(2, 1, 4) },
  "B7 no padding": { documents: [[7, 5, 4]], heads: heads(2, 1, 4) },
  "B16 documents of 0 and 1 rows": { documents: [[0, 1, 0, 1]], heads: heads(9, 3, 8) },
  "B17 documents without rows among others": {
    documents: [[0, 9, 0, 0, 6]],
    heads: heads(3, 1, 2),
  },
};

const operator: Record<string, PoolCase> = {
  "C1, C7": { documents: [[5, 3]], heads: heads(6, 2, 4), cp: 5 },
  "C1 more ranks than heads": { documents: [[9, 4]], heads: heads(2, 1, 4), cp: 8 },
  C2: { documents: [[11]], heads: heads(2, 1, 4), cp: 4 },
  C3: { documents: [[1]], heads: heads(1, 1, 4), cp: 4 },
  "C5, C11": { documents: [[40, 1, 27]], heads: heads(4, 2, 33), cp: 8 },
  C8: { documents: [[1]], heads: heads(6, 2, 1), cp: 2 },
  C12: { documents: [[4, 3]], heads: heads(2, 1, 4, 6), cp: 4 },
  C13: { documents: [[4, 3]], heads: heads(2, 1, 4), cp: 2, scale: 0.25 },
};

const pools: Record<string, PoolCase> = {
  "8 replicas": {
    documents: [[40], [9, 4], [], [1, 0, 1], [17], [5, 5, 5], [3], [23]],
    heads: heads(4, 2, 8),
  },
  "4 replicas × CP 2": { documents: [[37], [6, 6], [0], [11, 1]], heads: heads(6, 2, 5), cp: 2 },
  "2 replicas × CP 4": {
    documents: [
      [41, 2],
      [3, 7, 13],
    ],
    heads: heads(3, 1, 7, 9),
    cp: 4,
  },
};

async function error(pool: PoolCase): Promise<number> {
  return largestError(pool, await runPool(pool));
}

describe.each(planners)("%s against float64", { timeout: 120_000 }, (planner) => {
  it.each(Object.keys(packings))("%s, CP 4, 5 and 8, one hop and two", async (name) => {
    for (const cp of many) {
      for (const hops of [{}, two]) {
        for (const own of [{}, { own: zigzagRows }]) {
          const pool = { ...packings[name]!, cp, planner, ...hops, ...own };
          expect(await error(pool), JSON.stringify(pool)).toBeLessThan(tolerance);
        }
      }
    }
  });

  it("B1, B2 one changed document changes no other, CP 4, 5 and 8", async () => {
    for (const cp of many) {
      const pool: PoolCase = { documents: [[6, 6]], heads: heads(2, 1, 4), cp, planner };
      const data = generateData({ rows: 12, ...pool.heads });
      const v = data.v.slice();
      v[0]! += 1;
      const before = (await runPool({ ...pool, data: [data] })).sequences[0]!;
      const after = (await runPool({ ...pool, data: [{ ...data, v }] })).sequences[0]!;
      expect(after.out.subarray(48)).toEqual(before.out.subarray(48));
      expect(after.out.subarray(0, 48)).not.toEqual(before.out.subarray(0, 48));
    }
  });

  it.each(Object.keys(operator))("%s with two hops", async (name) => {
    expect(await error({ ...operator[name]!, planner, ...two })).toBeLessThan(tolerance);
  });

  it.each(Object.keys(pools))("a pool of %s, one hop and two", async (name) => {
    for (const hops of [{}, two]) {
      expect(await error({ ...pools[name]!, planner, ...hops })).toBeLessThan(tolerance);
    }
  });
});

it.each(many)("B10 rotary positions of each shard are those of its rows, CP %d", async (cp) => {
  const borders = bordersOf([9, 4, 0, 7]);
  const rows = borders.at(-1)!;
  const q = generate(0.1, rows * 8);
  await launchLocal(1, async (rank) => {
    const stream = rank.stream("compute");
    const rotate = async (values: Float32Array, at: Int32Array) => {
      const x = rank.device.fromArray(values, [at.length, 2, 4]);
      const out = rank.device.empty([at.length, 2, 4]);
      rope(stream, { x, positions: rank.device.fromArray(at), theta: 1e6, out });
      return Float64Array.from(await stream.read(out));
    };
    const all = documentPositions(borders, contiguousRows(rows, 1), 0);
    const whole = await rotate(Float32Array.from(q), all);
    const owned = zigzagRows(borders, cp);
    for (let index = 0; index < cp; index += 1) {
      const own = ownedIndices(owned, index);
      const shard = await rotate(takeRows(q, own, 8), documentPositions(borders, owned, index));
      expect(Float32Array.from(shard)).toEqual(takeRows(whole, own, 8));
    }
  });
});
