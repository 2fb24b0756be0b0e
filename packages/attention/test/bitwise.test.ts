import { launchLocal } from "@libra/runtime";
import { stripedRows, zigzagRows } from "@libra/topology";
import { beforeAll, describe, expect, it } from "vitest";
import {
  differing,
  heads,
  largestError,
  type PoolCase,
  type PoolResult,
  runPool,
} from "./support/pool.js";

// Documents longer than a few row blocks of the kernels, so that every planner cuts them.
const documents = [
  [411, 0, 130, 1],
  [37, 205],
];
const cutIndependent = ["out", "logSumExp", "dq"] as const;

describe("bits", { timeout: 120_000 }, () => {
  let base: PoolCase;
  let whole: PoolResult;

  beforeAll(async () => {
    const [rowBlock] = await launchLocal(1, async (rank) => rank.device.rowBlock);
    base = { documents, heads: heads(6, 3, 16), rowBlock: rowBlock! };
    whole = await runPool({ ...base, planner: "ulysses" });
  }, 120_000);

  it("agree with float64", () => {
    expect(largestError(base, whole)).toBeLessThan(4e-6);
  });

  it.each([1, 2, 3])("are equal under ulysses and libra by KV groups, cp %d", async (cp) => {
    const pool: PoolCase = { ...base, cp };
    const ulysses = await runPool({ ...pool, planner: "ulysses" });
    expect(differing(ulysses, whole)).toEqual([]);
    for (const surplus of ["heads", "documents"] as const) {
      const plannerOptions = { granularity: "kvGroup", surplus } as const;
      const own = surplus === "documents" ? { own: stripedRows } : {};
      const libra = await runPool({ ...pool, planner: "libra", plannerOptions, ...own });
      expect(differing(libra, whole)).toEqual([]);
      if (cp > 1) expect(libra.plan.moved).toBeGreaterThan(0);
    }
  });

  it.each([
    ["libra, rows", { planner: "libra", plannerOptions: { granularity: "row" } }],
    ["libra, odd row block", { planner: "libra", rowBlock: 7 }],
    ["libra, single heads", { planner: "libra", plannerOptions: { headBlock: 1 } }],
    ["libra, cp 2", { planner: "libra", cp: 2 }],
    ["libra, zigzag", { planner: "libra", cp: 2, own: zigzagRows }],
    ["libra, documents", { planner: "libra", cp: 2, plannerOptions: { surplus: "documents" } }],
    ["libra, one chunk", { planner: "libra", plannerOptions: { chunks: 1 } }],
    ["allGather, cp 2", { planner: "allGather", cp: 2 }],
    ["allGather, zigzag", { planner: "allGather", cp: 2, own: zigzagRows }],
    ["ulysses, more ranks than heads", { planner: "ulysses", cp: 4 }],
  ] as Array<[string, Partial<PoolCase>]>)(
    "of out, log-sum-exp and dQ are equal for any cut: %s",
    async (_name, options) => {
      const pool = { ...base, ...options };
      const result = await runPool(pool);
      expect(differing(result, whole, cutIndependent)).toEqual([]);
      if (pool.planner === "libra") expect(result.plan.moved).toBeGreaterThan(0);
      expect(largestError(pool, result)).toBeLessThan(4e-6);
    },
  );

  it("do not depend on the number of threads or on sending what is at home", async () => {
    const pool: PoolCase = { ...base, planner: "ulysses" };
    expect(differing(await runPool({ ...pool, launch: { threads: 3 } }), whole)).toEqual([]);
    expect(differing(await runPool({ ...pool, inPlace: false }), whole)).toEqual([]);
  });
});
