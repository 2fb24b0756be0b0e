import { pairsCost } from "@libra/cost-model";
import { contiguousRows, zigzagRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allGather, libra, plannerByName, plannerNames, ulysses } from "../../src/index.js";
import { checkPlan, checkRowBorders } from "../support/invariants.js";
import { anyPool, borders, poolOf } from "../support/pools.js";

describe("ulysses and allGather", () => {
  it("cover every row and head once", () => {
    fc.assert(
      fc.property(anyPool, fc.integer({ min: 1, max: 5 }), (input, chunks) => {
        const plan = ulysses({ chunks }).plan(input);
        checkPlan(input, plan);
        checkRowBorders(input, plan);
        checkPlan(input, allGather({ chunks }).plan(input));
      }),
      { numRuns: 500 },
    );
  });

  it("ulysses replicates KV heads when ranks exceed them and leaves surplus ranks idle", () => {
    const plan = ulysses().plan(poolOf([[16]], 5, 4, 2));
    const heads = Array.from({ length: 5 }, (_, w) =>
      plan.worker.reduce((sum, worker, t) => (worker === w ? sum + plan.headCount[t]! : sum), 0),
    );
    expect(heads.map((count) => Math.sign(count))).toEqual([1, 1, 1, 1, 0]);
    expect(plan.workers).toBe(5);
    expect(plan.loads).toEqual(Float64Array.of(136, 136, 136, 136, 0));
  });

  it("C21: every rank is in the plan, whatever their number; every document of a pack counts", () => {
    for (const cp of [3, 5, 6, 7]) {
      const input = poolOf([[9, 2, 2, 2, 2]], cp, 4, 2, 1);
      for (const planner of [ulysses(), allGather(), libra()]) {
        const plan = planner.plan(input);
        checkPlan(input, plan);
        expect(plan.loads.length).toBe(cp);
        expect(plan.total).toBe(4 * (45 + 4 * 3));
      }
    }
    // Squares of [3, 4, 5] are 50 = 2 · pairs − rows.
    const { total } = libra().plan(poolOf([[3, 4, 5]], 2, 1, 1));
    expect(2 * total - 12).toBe(50);
  });

  it("D1: windows of equal tokens and unequal attention are even after tiling", () => {
    const input = poolOf([[8], [6, 2], [5, 3], [4, 2, 2]], 1, 8, 8, 1);
    // Pairs 36, 24, 21 and 16 of each head.
    expect(ulysses().plan(input).workerSkew).toBeCloseTo(36 / 24.25, 12);
    const plan = libra().plan(input);
    checkPlan(input, plan);
    expect(plan.workerSkew).toBeLessThan(1.1);
  });

  it("C22: any length without padding", () => {
    for (const planner of [ulysses(), allGather(), libra()]) {
      const plan = planner.plan(poolOf([[100]], 4, 1, 1));
      expect(plan.rowCount.reduce((a, b) => a + b, 0)).toBe(100);
    }
  });

  it("C23: two documents on two ranks, causal pairs 44/44", () => {
    const cuSeqlens = borders([4, 12]);
    const input = {
      ...poolOf([[4, 12]], 2, 1, 1, 1),
      owned: [zigzagRows(cuSeqlens, 2)],
    };
    expect(allGather().plan(input).loads).toEqual(Float64Array.of(44, 44));
    const contiguous = { ...input, owned: [contiguousRows(16, 2)] };
    expect(allGather().plan(contiguous).loads).toEqual(Float64Array.of(20, 68));
    const plan = libra({ tolerance: 0 }).plan(contiguous);
    expect(Math.max(...plan.loads)).toBeLessThanOrEqual(44 + 12);
  });

  it("finds planners by name and lists the valid names", () => {
    for (const name of plannerNames) expect(plannerByName(name).name).toBe(name);
    expect(() => plannerByName("ullyses")).toThrow(
      /ulysses, allGather, zigzag.*libra.*did you mean ulysses/,
    );
    expect(() => plannerByName("disaggregated", { tolerance: "auto" })).toThrow(/tolerance/);
  });
});

describe("PoolInput", () => {
  const good = poolOf([[200, 56]], 2, 4, 2);
  const rows = contiguousRows(256, 2);
  const withCu = (cu: ArrayLike<number>) => ({
    ...good,
    sequences: [cu as Int32Array],
    owned: [rows],
  });

  it("B4: refuses wrong document borders", () => {
    expect(() => libra().plan(withCu([0, 256, 512, 768]))).toThrow(/256.*sequences\[0\].*768/);
    expect(() => libra().plan(withCu([1, 256]))).toThrow(/sequences\[0\]\[0\]/);
    expect(() => libra().plan(withCu([0, 200, 100, 256]))).toThrow(/sequences\[0\]\[2\]/);
    expect(() => libra().plan(withCu([0, 256.5]))).toThrow(/256.5/);
    expect(() => libra().plan(withCu([]))).toThrow(/sequences\[0\]/);
  });

  it("refuses wrong heads, owned rows, speeds and ranks", () => {
    const bad = (change: object) => () => libra().plan({ ...good, ...change });
    expect(bad({ heads: { ...good.heads, queryHeads: 5 } })).toThrow(/multiple of kvHeads/);
    expect(bad({ owned: [] })).toThrow(/owned/);
    expect(bad({ owned: [contiguousRows(256, 3)] })).toThrow(/cp 2/);
    expect(bad({ sequences: [] })).toThrow(/sequences/);
    expect(bad({ speed: Float64Array.of(1, 0) })).toThrow(/speed\[1\]/);
    expect(bad({ base: Float64Array.of(1) })).toThrow(/base/);
    expect(bad({ ranks: [1] })).toThrow(/ranks/);
    const huge = poolOf([[2 ** 30]], 1, 64, 8, 2 ** 20);
    expect(() => libra().plan({ ...huge, cost: pairsCost(2 ** 20) })).toThrow(/2\^53/);
  });

  it("B5: plans a pool without rows", () => {
    const plan = libra().plan(poolOf([[], []], 2, 4, 2));
    expect(plan.count).toBe(0);
    expect(plan.workerSkew).toBe(1);
  });
});
