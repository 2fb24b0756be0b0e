import { contiguousRows, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  disaggregated,
  minHeapChunks,
  perDocument,
  ring,
  type TilePlan,
  type TilePlanner,
  tiledGreedy,
  tileSegments,
  zigzag,
} from "../../src/index.js";
import { checkPlan } from "../support/invariants.js";
import { anyPool, poolOf } from "../support/pools.js";
import { simulateExchange } from "../support/simulate-exchange.js";

const planners: TilePlanner[] = [
  zigzag(),
  perDocument(),
  perDocument({ adaptive: true, chunks: 2 }),
  minHeapChunks({ pieceRows: 8 }),
  disaggregated({ tolerance: 0 }),
  disaggregated({ chunks: 2, scope: "world" }),
  tiledGreedy(),
  tiledGreedy({ headParts: 2, rowParts: 3, chunks: 1 }),
];

describe("planners beside Libra", () => {
  for (const [i, planner] of planners.entries()) {
    it(`cover every row and head once and exchange what they need: ${planner.name} ${i}`, () => {
      fc.assert(
        fc.property(anyPool, fc.constantFrom(1 as const, 2 as const), (input, hops) => {
          const plan = planner.plan(input);
          checkPlan(input, plan);
          simulateExchange(plan, hops);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("zigzag is even for one document and perDocument for any", () => {
    const one = poolOf([[4096]], 4, 4, 2, 16);
    expect(zigzag().plan(one).workerSkew).toBeLessThan(1.001);
    const many = poolOf([[2048, 512, 512, 1024]], 4, 4, 2, 16);
    expect(perDocument().plan(many).workerSkew).toBeLessThan(1.001);
    expect(zigzag().plan(many).workerSkew).toBeGreaterThan(1.2);
  });

  it("perDocument falls back to the whole sequence where documents are shorter than a block", () => {
    const short = poolOf([new Array(64).fill(64)], 8, 4, 2, 128);
    const adaptive = perDocument({ adaptive: true, chunks: 1 }).plan(short);
    expect(adaptive.count).toBeLessThan(perDocument({ chunks: 1 }).plan(short).count);
  });

  it("minHeapChunks gives every worker equally many pieces", () => {
    const plan = minHeapChunks({ pieceRows: 64, chunks: 1 }).plan(poolOf([[2048]], 4, 2, 1));
    const rows = new Float64Array(4);
    for (let t = 0; t < plan.count; t++) rows[plan.worker[t]!]! += plan.rowCount[t]!;
    expect(rows).toEqual(Float64Array.of(512, 512, 512, 512));
    expect(plan.workerSkew).toBeLessThan(1.01);
  });

  it("disaggregated balances a pool to its tolerance and cuts rows only", () => {
    const input = poolOf([[8192], new Array(32).fill(256)], 2, 8, 2, 16);
    const plan = disaggregated({ tolerance: 0.01 }).plan(input);
    expect(plan.workerSkew).toBeLessThan(1.03);
    expect(plan.headCount.every((heads) => heads % 4 === 0)).toBe(true);
    expect(disaggregated({ scope: "world" }).scope).toBe("world");
  });

  it("tiledGreedy stays under its cap where its grid allows and prefers workers with the keys", () => {
    const input = poolOf([[8192], new Array(32).fill(256)], 2, 8, 2, 16);
    const plan = tiledGreedy({ cap: 1.02, grain: 0.01 }).plan(input);
    expect(plan.workerSkew).toBeLessThan(1.03);
    const even = poolOf([[1024], [1024]], 2, 8, 2, 16);
    expect(tiledGreedy({ cap: 1.5, grain: 0.5 }).plan(even).moved).toBe(0);
  });
});

describe("ring", () => {
  // Every visible (row, key) pair of every head exactly once, by the segments that are computed.
  function countPairs(plan: TilePlan): void {
    const seen = new Map<number, number>();
    for (let t = 0; t < plan.count; t++) {
      for (const segment of tileSegments(plan, t)) {
        for (let h = segment.headStart; h < segment.headStart + segment.headCount; h++) {
          for (let r = 0; r < segment.rowCount; r++) {
            const hidden = segment.causal ? segment.rowCount - 1 - r : 0;
            for (let k = 0; k < segment.keyCount - hidden; k++) {
              const row = segment.rowStart + r;
              const pair = ((plan.sequence[t]! * 16 + h) * 1024 + row) * 1024;
              const key = pair + segment.keyStart + k;
              seen.set(key, (seen.get(key) ?? 0) + 1);
            }
          }
        }
      }
    }
    const pairs = plan.sequences.reduce((sum, cu) => {
      for (let d = 1; d < cu.length; d++) {
        const rows = cu[d]! - cu[d - 1]!;
        sum += (rows * (rows + 1)) / 2;
      }
      return sum;
    }, 0);
    expect(seen.size).toBe(pairs * plan.heads.queryHeads);
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
  }

  it("meets every row with each of its keys once and merges all partial results", () => {
    fc.assert(
      fc.property(anyPool, fc.constantFrom(1 as const, 2 as const), (input, hops) => {
        const plan = ring().plan(input);
        countPairs(plan);
        const loads = new Float64Array(plan.workers);
        for (let t = 0; t < plan.count; t++) loads[plan.worker[t]!]! += plan.cost[t]!;
        expect(loads).toEqual(plan.loads);
        expect(plan.loads.reduce((a, b) => a + b, 0)).toBe(plan.total);
        simulateExchange(plan, hops);
      }),
      { numRuns: 60 },
    );
  });

  it("keeps queries at home and has one chunk per step", () => {
    const input = poolOf([[64, 64]], 4, 2, 1);
    const plan = ring().plan({ ...input, owned: [zigzagRows(input.sequences[0]!, 4)] });
    expect(plan.chunks).toBe(4);
    expect(plan.keyRanges).toBe(true);
    expect(plan.workerSkew).toBe(1);
    const contiguous = ring().plan({ ...input, owned: [contiguousRows(128, 4)] });
    expect(contiguous.workerSkew).toBeCloseTo(1.5, 1);
  });
});
