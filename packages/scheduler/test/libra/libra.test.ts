import { contiguousRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { libra, type PoolInput, type TilePlan, tilePlanHash } from "../../src/index.js";
import { checkPlan, checkRowBorders } from "../support/invariants.js";
import { anyPool, poolOf } from "../support/pools.js";

const anyOptions = fc.record({
  tolerance: fc.constantFrom(0, 0.005, 0.01, 0.1),
  granularity: fc.constantFrom("row" as const, "kvGroup" as const),
  surplus: fc.constantFrom("heads" as const, "documents" as const),
  headBlock: fc.integer({ min: 1, max: 5 }),
  fill: fc.constantFrom("spread" as const, "packed" as const),
  chunks: fc.integer({ min: 1, max: 5 }),
});

// One row block of one head block of the costliest document.
function costliestBlock(input: PoolInput, headBlock: number): number {
  let most = 0;
  for (const cu of input.sequences) {
    for (let d = 1; d < cu.length; d++) {
      const length = cu[d]! - cu[d - 1]!;
      for (let row = 0; row < length; row += input.cost.rowBlock) {
        const end = Math.min(length, row + input.cost.rowBlock);
        most = Math.max(most, input.cost.prefix(end) - input.cost.prefix(row));
      }
    }
  }
  return most * headBlock;
}

// τ with λ found by bisection, apart from the planner's own way.
function targets(input: PoolInput, workers: number, total: number): number[] {
  const at = (level: number) =>
    Array.from({ length: workers }, (_, w) =>
      Math.max(0, level * (input.speed?.[w] ?? 1) - (input.base?.[w] ?? 0)),
    );
  let low = 0;
  let high = total + 1e4;
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (at(middle).reduce((a, b) => a + b, 0) < total) low = middle;
    else high = middle;
  }
  return at(high);
}

describe("libra", () => {
  it("covers every row and head once, cuts at row block borders, keeps its guarantee", () => {
    fc.assert(
      fc.property(anyPool, anyOptions, (input, options) => {
        const plan = libra(options).plan(input);
        checkPlan(input, plan);
        checkRowBorders(input, plan);
        if (options.granularity !== "row") return;
        const block = costliestBlock(input, Math.min(options.headBlock, plan.heads.queryHeads));
        targets(input, plan.workers, plan.total).forEach((target, w) => {
          const limit = (1 + options.tolerance) * target + block;
          expect(plan.loads[w]).toBeLessThanOrEqual(limit * (1 + 1e-9));
        });
      }),
      { numRuns: 2000 },
    );
  });

  for (const surplus of ["heads", "documents"] as const) {
    it(`gives equal bytes for equal inputs, whatever it planned before: ${surplus}`, () => {
      const fresh = (input: PoolInput) => tilePlanHash(libra({ surplus }).plan(input));
      const planner = libra({ surplus });
      fc.assert(
        fc.property(anyPool, (input) => {
          expect(tilePlanHash(planner.plan(input))).toBe(fresh(structuredCopy(input)));
        }),
      );
    });
  }

  it("never cuts a KV group's rows over workers with granularity kvGroup", () => {
    fc.assert(
      fc.property(anyPool, fc.boolean(), (input, byDocument) => {
        const surplus = byDocument ? "documents" : "heads";
        const plan = libra({ granularity: "kvGroup", surplus }).plan(input);
        const group = plan.heads.queryHeads / plan.heads.kvHeads;
        const owner = new Map<string, number>();
        for (let t = 0; t < plan.count; t++) {
          // A KV group of the sequence, or of each of its documents.
          const documents = byDocument ? documentsOf(plan, t) : [0];
          for (const document of documents) {
            for (let h = 0; h < plan.headCount[t]!; h++) {
              const kvHead = Math.floor((plan.headStart[t]! + h) / group);
              const key = `${plan.sequence[t]} ${document} ${kvHead}`;
              expect(owner.get(key) ?? plan.worker[t]).toBe(plan.worker[t]);
              owner.set(key, plan.worker[t]!);
            }
          }
        }
      }),
    );
  });

  it("keeps the rows of a (document, head) ascending over a worker's chunks", () => {
    fc.assert(
      fc.property(anyPool, anyOptions, (input, options) => {
        const plan = libra(options).plan(input);
        const reached = new Map<string, { chunk: number; before: number; row: number }>();
        for (let t = 0; t < plan.count; t++) {
          for (const document of documentsOf(plan, t)) {
            for (let h = 0; h < plan.headCount[t]!; h++) {
              const head = plan.headStart[t]! + h;
              const key = `${plan.worker[t]} ${plan.sequence[t]} ${document} ${head}`;
              const last = reached.get(key) ?? { chunk: 0, before: 0, row: 0 };
              if (plan.chunk[t] !== last.chunk) {
                last.before = last.row;
                last.chunk = plan.chunk[t]!;
              }
              const cuSeqlens = plan.sequences[plan.sequence[t]!]!;
              const row = Math.max(plan.rowStart[t]!, cuSeqlens[document]!);
              const rowEnd = plan.rowStart[t]! + plan.rowCount[t]!;
              expect(row).toBeGreaterThanOrEqual(last.before);
              // Inside a chunk too, where KV groups stay whole: their sums are then the uncut ones.
              if (options.granularity === "kvGroup") expect(row).toBeGreaterThanOrEqual(last.row);
              last.row = Math.max(last.row, Math.min(rowEnd, cuSeqlens[document + 1]!));
              reached.set(key, last);
            }
          }
        }
      }),
    );
  });

  it("holds home work only in the first and the last chunk where home work suffices", () => {
    const plan = libra().plan(poolOf([[4096], new Array(64).fill(64)], 4, 8, 2, 16));
    for (let t = 0; t < plan.count; t++) {
      const worker = plan.worker[t]!;
      const foreign = plan.sequence[t] !== Math.floor(worker / plan.cp);
      let home = 0;
      for (let u = 0; u < plan.count; u++) {
        const own = plan.sequence[u] === Math.floor(worker / plan.cp);
        if (own && plan.worker[u] === worker) home += plan.cost[u]!;
      }
      if (foreign && home >= plan.loads[worker]! / 2) {
        expect([1, 2]).toContain(plan.chunk[t]);
      }
    }
  });

  it("moves no work when every group is within the tolerance", () => {
    const plan = libra().plan(
      poolOf(
        [
          [500, 20],
          [500, 20],
        ],
        2,
        4,
        2,
      ),
    );
    expect(plan.moved).toBe(0);
    expect(plan.leastMoved).toBe(0);
  });

  it("balances one giant document against many small ones", () => {
    const input = poolOf([[8192], new Array(32).fill(256)], 1, 8, 2, 64);
    const plan = libra({ tolerance: 0 }).plan(input);
    expect(plan.workerSkew).toBeLessThan(1.01);
    expect(plan.moved - plan.leastMoved).toBeLessThan(0.005);
  });

  it("lets the longest documents leave, and no others", () => {
    const input = poolOf([[2000, 100, 3000, ...new Array(20).fill(100)], [7100]], 2, 8, 2, 50);
    const light = { ...input, sequences: [input.sequences[0]!, Int32Array.of(0, 0)] };
    const owned = [input.owned[0]!, { ...input.owned[1]!, ...contiguousRows(0, 2) }];
    const plan = libra({ surplus: "documents" }).plan({ ...light, owned });
    const moved = new Set<number>();
    for (let t = 0; t < plan.count; t++) {
      if (plan.worker[t]! >= 2) for (const document of documentsOf(plan, t)) moved.add(document);
    }
    expect(moved).toEqual(new Set([2]));
  });

  it("keeps documents in the node that owns them, and fills its group before others", () => {
    // Node 0 owns the first two documents of sequence 0, node 1 the rest.
    const pool = poolOf(
      [[400, 600, 500, 500], [1000, 1000], [...new Array(20).fill(100)]],
      4,
      8,
      2,
      10,
    );
    const plan = libra({ surplus: "documents", tolerance: 0 }).plan({
      ...pool,
      nodes: { ranksPerNode: 2 },
    });
    for (let t = 0; t < plan.count; t++) {
      if (plan.sequence[t] !== 0 || plan.worker[t]! >= 4) continue;
      const node = plan.worker[t]! < 2 ? 0 : 1;
      for (const document of documentsOf(plan, t)) {
        if (document >= 2) expect(node).toBe(1);
      }
    }
    expect(plan.moved - plan.leastMoved).toBeLessThan(0.005);
  });

  it("gives slower and busier workers less", () => {
    const input = {
      ...poolOf([[4096], [4096]], 2, 8, 2, 16),
      speed: Float64Array.of(1, 1, 2, 1),
      base: Float64Array.of(0, 0, 0, 1e9),
    };
    const plan = libra({ tolerance: 0 }).plan(input);
    expect(plan.loads[3]).toBeLessThanOrEqual(16 * 4096 * 4);
    expect(plan.loads[2]! / plan.loads[0]!).toBeCloseTo(2, 1);
  });

  it("refuses bad options", () => {
    expect(() => libra({ tolerance: -1 })).toThrow(/tolerance/);
    expect(() => libra({ granularity: "head" as "row" })).toThrow(/row, kvGroup/);
    expect(() => libra({ chunks: 0 })).toThrow(/chunks/);
    expect(() => libra({ headBlock: 1.5 })).toThrow(/headBlock/);
    expect(() => libra({ surplus: "rows" as "heads" })).toThrow(/heads, documents/);
  });
});

// Indices of the documents with rows in a tile.
function documentsOf(plan: TilePlan, t: number): number[] {
  const cuSeqlens = plan.sequences[plan.sequence[t]!]!;
  const rowEnd = plan.rowStart[t]! + plan.rowCount[t]!;
  return Array.from(cuSeqlens.subarray(1), (_, d) => d).filter(
    (d) =>
      cuSeqlens[d]! < cuSeqlens[d + 1]! &&
      cuSeqlens[d]! < rowEnd &&
      cuSeqlens[d + 1]! > plan.rowStart[t]!,
  );
}

function structuredCopy(input: PoolInput): PoolInput {
  return { ...input, sequences: input.sequences.map((cu) => cu.slice()) };
}
