import type { AttentionSegments } from "@libra/runtime";
import { type BlockList, type ExchangeProgram, exchangeProgram } from "@libra/scheduler";
import { ownedIndices, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { homeSegments, stagingSegments } from "../src/segments.js";
import { heads, type PoolCase, planOf } from "./support/pool.js";

// Vectors carry their names instead of values, so that a wrong offset shows as a wrong name.
type Names = string[];

function* vectorsOf(list: BlockList, peer: number): Generator<number> {
  for (let b = list.peerOffsets[peer]!; b < list.peerOffsets[peer + 1]!; b += 1) {
    for (let row = 0; row < list.rows[b]!; row += 1) {
      for (let i = 0; i < list.width[b]!; i += 1) {
        yield list.offset[b]! + row * list.stride[b]! + i;
      }
    }
  }
}

function dispatch(
  programs: readonly ExchangeProgram[],
  homes: readonly Names[],
  kind: "query" | "key",
): Names[] {
  const staging = programs.map((): Names => []);
  for (const [from, sender] of programs.entries()) {
    for (const [to, receiver] of programs.entries()) {
      for (const [chunk, { dispatch: hops }] of sender.chunks.entries()) {
        const sent = [...vectorsOf(hops[0]![kind].send, to)];
        const lists = receiver.chunks[chunk]!.dispatch[0]![kind].receive;
        const received = [...vectorsOf(lists, from)];
        expect(received.length).toBe(sent.length);
        for (const [i, vector] of received.entries()) {
          staging[to]![vector] = homes[from]![sent[i]!]!;
        }
      }
    }
  }
  return staging;
}

/** Names of what each segment's rows and keys are, "sequence:row:head". */
function read(segments: AttentionSegments, query: Names, key: Names) {
  return Array.from({ length: segments.count }, (_, i) => ({
    causal: segments.causal[i] === 1,
    rows: Array.from({ length: segments.rows[i]! }, (_r, row) =>
      query.slice(
        segments.queryOffset[i]! + row * segments.queryStride[i]!,
        segments.queryOffset[i]! + row * segments.queryStride[i]! + segments.heads[i]!,
      ),
    ),
    keys: Array.from(
      { length: segments.keys[i]! },
      (_k, j) => key[segments.keyOffset[i]! + j * segments.keyStride[i]!]!,
    ),
  }));
}

function homeNames(pool: PoolCase, headCount: number): Names[] {
  const plan = planOf(pool);
  return Array.from({ length: plan.workers }, (_, worker) => {
    const sequence = Math.floor(worker / plan.cp);
    return [...ownedIndices(plan.owned[sequence]!, worker % plan.cp)].flatMap((row) =>
      Array.from({ length: headCount }, (_h, head) => `${sequence}:${row}:${head}`),
    );
  });
}

/** Every (row, head) of the pool once, with exactly the keys of its document up to itself. */
function checkAll(pool: PoolCase, read: ReturnType<typeof readAll>): void {
  const { queryHeads, kvHeads } = pool.heads;
  const seen = new Set<string>();
  for (const { rows, keys, causal } of read) {
    for (const [i, row] of rows.entries()) {
      for (const name of row) {
        const [sequence, at, head] = name.split(":").map(Number) as [number, number, number];
        expect(seen.has(name)).toBe(false);
        seen.add(name);
        let start = 0;
        for (const length of pool.documents[sequence]!) {
          if (at < start + length) break;
          start += length;
        }
        const kvHead = Math.floor((head * kvHeads) / queryHeads);
        const visible = causal ? keys.slice(0, keys.length - rows.length + i + 1) : keys;
        expect(visible).toEqual(
          Array.from({ length: at - start + 1 }, (_, j) => `${sequence}:${start + j}:${kvHead}`),
        );
      }
    }
  }
  const tokens = pool.documents.flat().reduce((a, b) => a + b, 0);
  expect(seen.size).toBe(tokens * queryHeads);
}

function readAll(pool: PoolCase) {
  const plan = planOf(pool);
  const programs = Array.from({ length: plan.workers }, (_, w) => exchangeProgram(plan, w));
  const query = dispatch(programs, homeNames(pool, pool.heads.queryHeads), "query");
  const key = dispatch(programs, homeNames(pool, pool.heads.kvHeads), "key");
  return programs.flatMap((program, worker) =>
    program.chunks.flatMap((_, chunk) =>
      read(stagingSegments(plan, program, chunk), query[worker]!, key[worker]!),
    ),
  );
}

describe("segments", { timeout: 120_000 }, () => {
  it("name every row and head once, with its keys, over staging tensors of any plan", () => {
    const pools = fc.record({
      documents: fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      cp: fc.integer({ min: 1, max: 3 }),
      kvHeads: fc.integer({ min: 1, max: 3 }),
      group: fc.integer({ min: 1, max: 3 }),
      planner: fc.constantFrom("ulysses", "allGather", "libra"),
      zigzag: fc.boolean(),
      rowBlock: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(pools, ({ kvHeads, group, zigzag, ...rest }) => {
        const pool: PoolCase = {
          ...rest,
          heads: heads(kvHeads * group, kvHeads, 4),
          ...(zigzag ? { own: zigzagRows } : {}),
        };
        checkAll(pool, readAll(pool));
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it("name the same over home tensors when nothing moves", () => {
    const pool: PoolCase = { documents: [[5, 0, 3, 4]], heads: heads(6, 2, 4), planner: "libra" };
    const plan = planOf(pool);
    const [query, key] = [homeNames(pool, 6)[0]!, homeNames(pool, 2)[0]!];
    const tiles = Int32Array.from({ length: plan.count }, (_, tile) => tile);
    checkAll(pool, read(homeSegments(plan, tiles), query, key));
  });
});
