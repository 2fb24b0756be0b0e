import type { Event, Rank } from "@libra/runtime";
import { exchangeProgram } from "@libra/scheduler";
import { zigzagRows } from "@libra/topology";
import { describe, expect, it } from "vitest";
import { differing, heads, type PoolCase, planOf, runPool } from "./support/pool.js";

const streamNames = ["compute", "dispatch", "return"] as const;

/** Leaves out the wait number `removed` of a rank; returns how many waits it was asked for. */
function removeWait(rank: Rank, removed: number): () => number {
  let count = 0;
  for (const name of streamNames) {
    const stream = rank.stream(name);
    const wait = stream.wait.bind(stream);
    stream.wait = (event: Event) => {
      if (count !== removed) wait(event);
      count += 1;
    };
  }
  return () => count;
}

describe("schedules", { timeout: 120_000 }, () => {
  const pool: PoolCase = { documents: [[31], [5, 0, 4], [9]], heads: heads(4, 2, 8) };

  it("200 seeds of 3 ranks, forward and backward, give the same bits", async () => {
    const expected = await runPool(pool);
    expect(expected.plan.moved).toBeGreaterThan(0);
    for (let seed = 0; seed < 200; seed += 1) {
      const fuzzed = await runPool({ ...pool, launch: { fuzz: { seed } } });
      expect(differing(fuzzed, expected)).toEqual([]);
    }
  });

  // Every rank has work and traffic in every chunk, so that each wait has something to guard.
  const group: PoolCase = {
    documents: [[61, 34]],
    heads: heads(6, 3, 8),
    cp: 3,
    own: zigzagRows,
    plannerOptions: { chunks: 3 },
  };

  it("kept tiles, a group, two hops and key ranges give the same bits in any order", async () => {
    const twoHops: PoolCase = { ...pool, hops: 2, nodes: { ranksPerNode: 2 } };
    const ring: PoolCase = { ...group, planner: "ring" };
    for (const other of [{ ...pool, keepTiles: true }, group, twoHops, ring]) {
      const expected = await runPool(other);
      for (let seed = 0; seed < 40; seed += 1) {
        const fuzzed = await runPool({ ...other, launch: { fuzz: { seed } } });
        expect(differing(fuzzed, expected)).toEqual([]);
      }
    }
  });

  it("every chunk of the plan below has work and traffic", () => {
    const plan = planOf(group);
    expect(plan.chunks).toBe(3);
    for (let worker = 0; worker < plan.workers; worker += 1) {
      const program = exchangeProgram(plan, worker);
      for (const [chunk, { dispatch }] of program.chunks.entries()) {
        const { send, receive } = dispatch[0]!.query;
        expect(program.chunkTileOffsets[chunk + 1]).toBeGreaterThan(
          program.chunkTileOffsets[chunk]!,
        );
        for (const { peerOffsets } of [send, receive]) {
          const own = peerOffsets[worker + 1]! - peerOffsets[worker]!;
          expect(peerOffsets[3]! - own).toBeGreaterThan(0);
        }
      }
    }
  });

  it("without any one of the waits some seed gives other bits", async () => {
    const expected = await runPool(group);
    let waits = 0;
    const failsWithout = async (removed: number): Promise<boolean> => {
      for (let seed = 0; seed < 100; seed += 1) {
        let counted = () => 0;
        const prepare = (rank: Rank) => {
          if (rank.rank === 1) counted = removeWait(rank, removed);
        };
        const result = await runPool({ ...group, prepare, launch: { fuzz: { seed } } });
        waits = counted();
        if (differing(result, expected).length > 0) return true;
      }
      return false;
    };
    expect(await failsWithout(-1)).toBe(false);
    // One before the pipeline, two a chunk and one after it; forward and backward.
    expect(waits).toBe(2 * (2 + 2 * expected.plan.chunks));
    const redundant: number[] = [];
    for (let removed = 0; removed < waits; removed += 1) {
      if (!(await failsWithout(removed))) redundant.push(removed);
    }
    expect(redundant).toEqual([]);
  });
});
