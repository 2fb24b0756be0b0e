import { launchLocal } from "@libra/runtime";
import { plannerNames } from "@libra/scheduler";
import { zigzagRows } from "@libra/topology";
import { beforeAll, describe, expect, it } from "vitest";
import { attend, createAttention } from "../src/index.js";
import { generateData, relativeError, roundBfloat16 } from "./support/generate.js";
import {
  differing,
  heads,
  largestErrors,
  type PoolCase,
  type PoolResult,
  planOf,
  runPool,
} from "./support/pool.js";

const dtype = "bfloat16" as const;

describe("bfloat16 against float64", { timeout: 120_000 }, () => {
  const whole: PoolCase = { documents: [[30, 1, 17]], heads: heads(4, 2, 16), dtype };
  let alone: ReturnType<typeof largestErrors>;

  beforeAll(async () => {
    alone = largestErrors(whole, await runPool(whole));
  });

  it("errs by its own rounding on one rank", () => {
    for (const [name, error] of Object.entries(alone)) {
      expect(error, name).toBeLessThan(2 ** -7);
      expect(error, name).toBeGreaterThan(0);
    }
  });

  for (const planner of plannerNames) {
    it.each([1, 2] as const)(
      `C5 cp 8 errs at most twice as much (${planner}, hops %d)`,
      async (hops) => {
        const pool: PoolCase = { ...whole, cp: 8, planner, hops, nodes: { ranksPerNode: 4 } };
        const errors = largestErrors(pool, await runPool(pool));
        for (const [name, error] of Object.entries(errors)) {
          expect(error, name).toBeLessThanOrEqual(2 * alone[name as keyof typeof alone]);
        }
      },
    );
  }

  it("attend rounds plain arrays", async () => {
    const shape = heads(4, 2, 8);
    const data = generateData({ rows: 20, ...shape });
    const inputs = { ...data, cuSeqlens: [0, 13, 20], heads: shape };
    const [wide, narrow] = [await attend(inputs), await attend({ ...inputs, dtype })];
    expect([...narrow.out]).toEqual([...narrow.out].map(roundBfloat16));
    expect(relativeError(narrow.out, wide.out)).toBeLessThan(2 ** -6);
    expect(relativeError(narrow.gradients!.dk, wide.gradients!.dk)).toBeLessThan(2 ** -5);
  });
});

describe("bits of bfloat16", { timeout: 120_000 }, () => {
  const documents = [
    [201, 0, 130, 1],
    [37, 105],
  ];
  const cutIndependent = ["out", "logSumExp", "dq"] as const;
  const byGroups = { granularity: "kvGroup" } as const;
  let base: PoolCase;
  let whole: PoolResult;

  beforeAll(async () => {
    const [rowBlock] = await launchLocal(1, async (rank) => rank.device.rowBlock);
    base = { documents, heads: heads(6, 3, 16), rowBlock: rowBlock!, dtype };
    whole = await runPool({ ...base, planner: "ulysses" });
  });

  it.each([
    ["ulysses, cp 3", { planner: "ulysses", cp: 3 }],
    ["libra by KV groups", { plannerOptions: byGroups }],
    ["libra by KV groups, cp 2, two hops", { plannerOptions: byGroups, cp: 2, hops: 2 }],
    ["what is at home sent", { planner: "ulysses", inPlace: false }],
    ["three threads", { planner: "ulysses", launch: { threads: 3 } }],
  ] as [string, Partial<PoolCase>][])("are equal: %s", async (_name, options) => {
    const pool: PoolCase = { ...base, nodes: { ranksPerNode: 2 }, ...options };
    expect(differing(await runPool(pool), whole)).toEqual([]);
  });

  it.each([
    ["libra, rows", { plannerOptions: { granularity: "row" } }],
    ["libra, single heads", { plannerOptions: { headBlock: 1 } }],
    ["libra, zigzag, kept tiles", { cp: 2, own: zigzagRows, keepTiles: true }],
    ["allGather, two hops", { planner: "allGather", cp: 2, hops: 2 }],
  ] as [string, Partial<PoolCase>][])(
    "of out, log-sum-exp and dQ are equal for any cut, all in two runs: %s",
    async (_name, options) => {
      const pool: PoolCase = { ...base, nodes: { ranksPerNode: 2 }, ...options };
      const [first, second] = [await runPool(pool), await runPool(pool)];
      expect(differing(first, whole, cutIndependent)).toEqual([]);
      expect(differing(first, second)).toEqual([]);
    },
  );

  it("are equal in two runs of a plan with key ranges", async () => {
    const pool: PoolCase = { ...base, cp: 2, planner: "ring" };
    expect(differing(await runPool(pool), await runPool(pool))).toEqual([]);
  });
});

describe("bfloat16 on the wire", () => {
  const base: PoolCase = { documents: [[40], [7, 8]], heads: heads(8, 2, 16, 24) };
  const bytes = async (pool: PoolCase) => (await runPool(pool)).stats[0]!;

  it("halves Q, K, V and O; log-sum-exp stays float32", async () => {
    const options: PoolCase = { ...base, plannerOptions: { headBlock: 1 } };
    const [wide, narrow] = [await bytes(options), await bytes({ ...options, dtype })];
    expect(narrow.forward.last.keyBytesSent).toBe(wide.forward.last.keyBytesSent / 2);
    const { bytesSent, bytesReceived, vectorsReceived } = narrow.forward.last;
    expect(bytesSent).toBe(wide.forward.last.bytesSent / 2);
    // Half of the vectors that come back are log-sum-exp, 4 bytes each.
    expect(bytesReceived).toBe((wide.forward.last.bytesReceived + 2 * vectorsReceived) / 2);
  });

  it("brings dK and dV back in float32 only where several workers contribute", async () => {
    const [split, whole] = [
      { ...base, plannerOptions: { headBlock: 1 } },
      { ...base, plannerOptions: { granularity: "kvGroup" } },
    ] as const;
    const returned = async (pool: PoolCase) => {
      const { stats } = await runPool(pool);
      const { forward, backward } = stats[1]!;
      return backward.last.keyBytesSent - forward.last.keyBytesSent;
    };
    expect(await returned({ ...split, dtype })).toBe(await returned(split));
    expect(await returned({ ...whole, dtype })).toBe((await returned(whole)) / 2);
    expect(await returned(whole)).toBeGreaterThan(0);
  });

  it("refuses tensors of another type than the operator's", async () => {
    await launchLocal(1, async (rank) => {
      const plan = planOf({ documents: [[4]], heads: heads(2, 1, 4) });
      const options = { rank, pool: rank.world, plan, worker: 0 };
      const stream = rank.stream("compute");
      const tensor = (count: number, type: "float32" | "bfloat16") =>
        rank.device.zeros([4, count, 4], type);
      const attention = createAttention({ ...options, dtype });
      const [q, k] = [tensor(2, dtype), tensor(1, dtype)];
      expect(() => attention.forward(stream, { q, k: tensor(1, "float32"), v: k })).toThrow(
        'Expected a tensor of bfloat16, the operator\'s dtype, for k but received "float32"',
      );
      expect(() => createAttention(options).forward(stream, { q, k, v: k })).toThrow(
        'Expected a tensor of float32, the operator\'s dtype, for q but received "bfloat16"',
      );
      const { saved } = attention.forward(stream, { q, k, v: k });
      expect(() => attention.backward(stream, { dOut: tensor(2, "float32"), saved })).toThrow(
        'for dOut but received "float32"',
      );
      // @ts-expect-error: not a type
      expect(() => createAttention({ ...options, dtype: "float16" })).toThrow(
        "Expected float32 or bfloat16 for dtype",
      );
    });
  });
});
