import { launchLocal } from "@libra/runtime";
import { describe, expect, it } from "vitest";
import { createAttention } from "../src/index.js";
import { heads, type PoolCase, planOf } from "./support/pool.js";

const pool: PoolCase = { documents: [[12, 5]], heads: heads(4, 2, 8), cp: 3 };

/** Forward on every rank; `disturb` may throw on one of them, or give it another plan. */
function forward(disturb: (rank: number) => PoolCase | undefined, timeoutMs: number) {
  return launchLocal(
    3,
    async (rank) => {
      const plan = planOf(pool);
      const attention = createAttention({ rank, pool: rank.world, plan, worker: rank.rank });
      const stream = rank.stream("compute");
      const run = () => {
        const owned = plan.owned[0]!;
        const [from, to] = [owned.starts[rank.rank]!, owned.ends[rank.rank]!];
        const tensor = (count: number) => rank.device.zeros([to - from, count, 8]);
        return attention.forward(stream, { q: tensor(4), k: tensor(2), v: tensor(2) });
      };
      run();
      const other = disturb(rank.rank);
      if (other !== undefined) attention.setPlan(planOf(other));
      const { saved } = run();
      attention.backward(stream, { dOut: saved.out, saved });
      await stream.done();
    },
    { timeoutMs },
  );
}

describe("failures", { timeout: 60_000 }, () => {
  it("a rank that throws inside the pipeline stops all, named, without a hang", async () => {
    const start = performance.now();
    const run = forward((rank) => {
      if (rank === 1) throw new Error("out of paper");
      return undefined;
    }, 20_000);
    await expect(run).rejects.toThrow(/rank 1.*out of paper/is);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("a rank that returns early is named to those who wait for it", async () => {
    const run = launchLocal(
      3,
      async (rank) => {
        if (rank.rank === 2) return;
        const plan = planOf(pool);
        const attention = createAttention({ rank, pool: rank.world, plan, worker: rank.rank });
        const tensor = (count: number) => rank.device.zeros([6, count, 8]);
        attention.forward(rank.stream("compute"), { q: tensor(4), k: tensor(2), v: tensor(2) });
        await rank.stream("compute").done();
      },
      { timeoutMs: 20_000 },
    );
    await expect(run).rejects.toThrow(/rank 2/i);
  });

  it("ranks with different plans get an error that names both, not wrong results", async () => {
    const other: PoolCase = { ...pool, planner: "allGather", plannerOptions: { chunks: 2 } };
    const run = forward((rank) => (rank === 1 ? other : undefined), 5_000);
    await expect(run).rejects.toMatchObject({ message: expect.stringMatching(/rank 1/i) });
  });

  it("a plan for another pool is refused when it is set", async () => {
    await launchLocal(3, async (rank) => {
      const options = { rank, pool: rank.world, worker: rank.rank };
      const attention = createAttention({ ...options, plan: planOf(pool) });
      expect(() => attention.setPlan(planOf({ ...pool, cp: 2 }))).toThrow(
        /Expected a pool of 2 ranks.*but received a pool of 3/,
      );
      const elsewhere = { ...options, worker: (rank.rank + 1) % 3, plan: planOf(pool) };
      expect(() => createAttention(elsewhere)).toThrow(/worker/);
    });
  });
});
