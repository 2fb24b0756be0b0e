import { linearTimer } from "@libra/cost-model";
import { linkClass } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exchangeProgram,
  libra,
  planTraffic,
  ring,
  type TilePlan,
  timeline,
  ulysses,
} from "../../src/index.js";
import { links, slower } from "../support/links.js";
import { anyPool, poolOf } from "../support/pools.js";

// Bytes by link class from the programs of all workers, the executor's own source.
function programBytes(plan: TilePlan, hops: 1 | 2, bytes: { query: number; key: number }) {
  const sent = new Float64Array(plan.workers * 4);
  const received = new Float64Array(plan.workers * 4);
  for (let w = 0; w < plan.workers; w++) {
    const { vectors } = exchangeProgram(plan, w, { hops });
    for (let p = 0; p < plan.workers; p++) {
      const link = linkClass(plan.nodes, plan.ranks[w]!, plan.ranks[p]!);
      sent[w * 4 + link]! += vectors.sentQuery[p]! * bytes.query + vectors.sentKey[p]! * bytes.key;
      received[w * 4 + link]! +=
        vectors.receivedQuery[p]! * bytes.query + vectors.receivedKey[p]! * bytes.key;
    }
  }
  return { sent, received };
}

describe("planTraffic", () => {
  it("counts what the exchange programs move", () => {
    fc.assert(
      fc.property(anyPool, fc.constantFrom(1 as const, 2 as const), (input, hops) => {
        for (const planner of [libra(), ring()]) {
          const plan = planner.plan(input);
          const { dispatch } = planTraffic(plan, { hops });
          const sent = new Float64Array(plan.workers * 4);
          const received = new Float64Array(plan.workers * 4);
          for (const hop of dispatch.flat()) {
            hop.sent.forEach((bytes, i) => {
              sent[i]! += bytes;
            });
            hop.received.forEach((bytes, i) => {
              received[i]! += bytes;
            });
          }
          const expected = programBytes(plan, hops, { query: 8, key: 16 });
          expect(sent).toEqual(expected.sent);
          expect(received).toEqual(expected.received);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("lets each key row cross once per node with two hops", () => {
    const input = { ...poolOf([[256], [16]], 4, 8, 2, 4), nodes: { ranksPerNode: 4 } };
    const plan = libra({ tolerance: 0 }).plan(input);
    const far = (hops: 1 | 2) => {
      const { dispatch } = planTraffic(plan, { hops });
      return dispatch
        .flat()
        .reduce((sum, hop) => sum + hop.sent.reduce((s, b, i) => (i % 4 === 3 ? s + b : s), 0), 0);
    };
    const keys = new Set<string>();
    let queries = 0;
    for (let t = 0; t < plan.count; t++) {
      if (plan.worker[t]! < 4 || plan.sequence[t] !== 0) continue;
      queries += plan.rowCount[t]! * plan.headCount[t]!;
      for (let h = 0; h < plan.headCount[t]!; h++) {
        const kvHead = Math.floor((plan.headStart[t]! + h) / 4);
        for (let k = 0; k < plan.keyCount[t]!; k++) keys.add(`${kvHead} ${plan.keyStart[t]! + k}`);
      }
    }
    expect(far(2)).toBe(queries * 8 + keys.size * 16);
    expect(far(1)).toBeGreaterThan(far(2));
  });

  it("counts forward and backward bytes of every vector", () => {
    const plan = ulysses({ chunks: 1 }).plan(poolOf([[8]], 1, 2, 1));
    const total = (pass: "forward" | "backward") =>
      planTraffic(plan, { pass, elementBytes: 2 }).total.sent[0];
    // 16 query and 8 key vectors of 4 elements, all to itself.
    expect(total("forward")).toBe(16 * (8 + 8 + 4) + 8 * 16);
    expect(total("backward")).toBe(16 * (16 + 8 + 8) + 8 * (16 + 32));
  });
});

describe("timeline", () => {
  it("is the pipeline of dispatch, attention and return", () => {
    const plan = ulysses({ chunks: 2 }).plan({
      ...poolOf([[64]], 2, 2, 2, 1),
      nodes: { ranksPerNode: 2 },
    });
    const { seconds, attention, exposed, spans } = timeline(plan, { links, secondsPerCost: 1e-6 });
    expect(attention).toEqual(Float64Array.of(plan.loads[0]! * 1e-6, plan.loads[1]! * 1e-6));
    expect(seconds - exposed).toBeCloseTo(Math.max(...attention), 15);
    for (const { stream, chunk, worker, start, end } of spans) {
      expect(end).toBeGreaterThanOrEqual(start);
      const before = spans.find(
        (span) => span.stream === stream && span.worker === worker && span.chunk === chunk - 1,
      );
      if (before !== undefined) expect(start).toBeGreaterThanOrEqual(before.end);
    }
    expect(Math.max(...spans.map((span) => span.end))).toBeLessThanOrEqual(seconds);
  });

  it("asks a timer when there is one", () => {
    const plan = libra().plan(poolOf([[512], [64, 64]], 2, 4, 2, 16));
    const coefficients = { launch: 1e-6, pairs: 1e-9, rows: 0, keys: 0, segment: 0 };
    const timer = linearTimer({ forward: coefficients, backward: coefficients }, 16);
    const forward = timeline(plan, { links, timer });
    expect(Math.max(...forward.attention)).toBeGreaterThan(plan.total * 1e-9 * 0.25);
    expect(() => timeline(plan, { links })).toThrow(/secondsPerCost/);
  });
});

describe("tolerance auto", () => {
  it("moves less over a slower network", () => {
    const input = {
      ...poolOf([[2048], new Array(32).fill(64)], 2, 8, 2, 16),
      nodes: { ranksPerNode: 2 },
    };
    const moved = (factor: number) =>
      libra({
        tolerance: "auto",
        timing: { links: slower(factor), secondsPerCost: 1e-8 },
      }).plan(input).moved;
    expect(moved(0.001)).toBeGreaterThan(0.3);
    expect(moved(1e4)).toBe(0);
    expect(moved(0.001)).toBeGreaterThanOrEqual(moved(1));
    expect(moved(1)).toBeGreaterThanOrEqual(moved(1e4));
  });

  it("needs links to predict with", () => {
    expect(() => libra({ tolerance: "auto" })).toThrow(/timing/);
  });
});
