import { nodeOf } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allGather,
  type ExchangeProgram,
  exchangeProgram,
  libra,
  type TilePlan,
  type TilePlanner,
  ulysses,
  validateExchange,
} from "../../src/index.js";
import { anyPool, poolOf } from "../support/pools.js";
import { simulateExchange } from "../support/simulate-exchange.js";

const planners: TilePlanner[] = [
  libra(),
  libra({ chunks: 1, headBlock: 1 }),
  libra({ chunks: 3, headBlock: 3, fill: "packed" }),
  libra({ granularity: "kvGroup" }),
  libra({ surplus: "documents" }),
  ulysses(),
  allGather({ chunks: 2 }),
];

// Two hops: a rank talks to its node and to one rank of each other node.
function checkPeers(plan: TilePlan, programs: readonly ExchangeProgram[]): void {
  const nodes = plan.ranks.map((rank) => nodeOf(plan.nodes, rank));
  for (const { worker, vectors } of programs) {
    const sent = new Map<number, number>();
    vectors.sentQuery.forEach((count, peer) => {
      if (count + vectors.sentKey[peer]! === 0 || nodes[peer] === nodes[worker]) return;
      sent.set(nodes[peer]!, (sent.get(nodes[peer]!) ?? 0) + 1);
    });
    expect([...sent.values()].every((peers) => peers === 1)).toBe(true);
  }
}

describe("exchangeProgram", () => {
  for (const [i, planner] of planners.entries()) {
    it(`brings every vector to its place and back: ${planner.name} ${i}`, () => {
      fc.assert(
        fc.property(anyPool, (input) => {
          simulateExchange(planner.plan(input));
        }),
        { numRuns: 60 },
      );
    });

    it(`the same with two hops: ${planner.name} ${i}`, () => {
      fc.assert(
        fc.property(anyPool, (input) => {
          const plan = planner.plan(input);
          const programs = simulateExchange(plan, 2);
          checkPeers(plan, programs);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("sums partials in the order (sequence, KV head, first head, first row), not by worker", () => {
    const plan = libra({ tolerance: 0 }).plan(poolOf([[8], [64]], 2, 1, 1, 1));
    const program = exchangeProgram(plan, 2);
    const { send } = { send: program.chunks.flatMap((c) => c.return[0]!.key.receive) };
    const partialOwner = new Map<number, number>();
    for (const list of send) {
      for (let p = 0; p < plan.workers; p++) {
        for (let b = list.peerOffsets[p]!; b < list.peerOffsets[p + 1]!; b++) {
          partialOwner.set(list.offset[b]!, p);
        }
      }
    }
    const firstRows = Array.from(program.accumulate.from, (from) => {
      const worker = partialOwner.get(from)!;
      let first = Number.POSITIVE_INFINITY;
      for (let t = 0; t < plan.count; t++) {
        if (plan.worker[t] === worker && plan.sequence[t] === 1) {
          first = Math.min(first, plan.rowStart[t]!);
        }
      }
      return first;
    });
    expect(new Set(firstRows).size).toBeGreaterThan(2);
    expect(firstRows).toEqual([...firstRows].sort((a, b) => a - b));
  });

  it("C9: KV heads travel unexpanded, 256 bytes of K and V for 8 tiles", () => {
    const plan = ulysses({ chunks: 1 }).plan(poolOf([[8]], 2, 8, 1));
    const { sentKey } = exchangeProgram(plan, 0).vectors;
    const toPeer = sentKey[1]!;
    expect(toPeer * 4 * 4 * 2).toBe(128);
    // One peer that needs all 8 rows from one owner: 8 vectors of K and V.
    const input = poolOf([[8], []], 1, 8, 1);
    const moved = libra({ tolerance: 0, headBlock: 1 }).plan({
      ...input,
      base: Float64Array.of(1e6, 0),
    });
    const vectors = exchangeProgram(moved, 0).vectors.sentKey[1]!;
    expect(vectors * 4 * 4 * 2).toBe(256);
  });

  it("C17: refuses programs that do not match, by source, destination and bytes", () => {
    const plan = libra().plan(poolOf([[40], [9, 3]], 2, 4, 2));
    const programs = Array.from({ length: 4 }, (_, w) => exchangeProgram(plan, w));
    const other = libra().plan(poolOf([[41], [9, 3]], 2, 4, 2));
    const mixed: ExchangeProgram[] = [...programs];
    mixed[3] = exchangeProgram(other, 3);
    expect(() => validateExchange(programs)).not.toThrow();
    expect(() => validateExchange(mixed)).toThrow(
      /source \d sends \d+ bytes to destination \d, which expects \d+ bytes/,
    );
    expect(() => validateExchange(programs.slice(1))).toThrow(/Worker 1/);
    expect(() => exchangeProgram(plan, 4)).toThrow(/worker/);
  });

  it("B15: offsets beyond 32 bits are exact", () => {
    const rows = 225304;
    const plan = allGather({ chunks: 1 }).plan(poolOf([[rows + 1]], 1, 9728, 1, 4096));
    const { send } = exchangeProgram(plan, 0).chunks[0]!.dispatch[0]!.query;
    const last = send.offset[0]! + rows * send.stride[0]!;
    expect(last).toBe(2191757312);
  });
});
