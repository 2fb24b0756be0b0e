import { launchLocal } from "@libra/runtime";
import { ownedCount } from "@libra/topology";
import { describe, expect, it, vi } from "vitest";
import { createAttention } from "../src/index.js";
import { heads, planOf } from "./support/pool.js";

describe("memory", () => {
  it.each([false, true])("steps leave nothing behind, keepTiles %s", async (keepTiles) => {
    const plan = planOf({ documents: [[40], [7, 8]], heads: heads(4, 2, 8) });
    await launchLocal(2, async (rank) => {
      const attention = createAttention({
        rank,
        pool: rank.world,
        plan,
        worker: rank.rank,
        keepTiles,
      });
      const stream = rank.stream("compute");
      const rows = plan.owned[rank.rank]!.rows;
      const q = rank.device.zeros([rows, 4, 8]);
      const k = rank.device.zeros([rows, 2, 8]);
      const before = rank.device.memory().liveTensors;
      for (let step = 0; step < 3; step += 1) {
        const { out, saved } = attention.forward(stream, { q, k, v: k });
        // Rank 0 computes its own tiles only, in place.
        expect(attention.stats().keptBytes > 0).toBe(keepTiles && rank.rank === 1);
        const { dq, dk, dv } = attention.backward(stream, { dOut: out, saved });
        saved.free();
        saved.free();
        for (const tensor of [out, dq, dk, dv]) tensor.free();
      }
      expect(attention.stats().keptBytes).toBe(0);
      expect(attention.stats().forward.calls).toBe(3);
      for (const name of ["compute", "dispatch", "return"]) await rank.stream(name).done();
      // A peer that has not yet left the last exchange may hold its tensors a moment longer.
      await vi.waitFor(() => expect(rank.device.memory().liveTensors).toBe(before));
    });
  });

  it.each([
    ["libra", 1, "float32"],
    ["libra", 2, "float32"],
    ["ring", 1, "float32"],
    ["ring", 2, "float32"],
    ["libra", 1, "bfloat16"],
    ["libra", 2, "bfloat16"],
    ["ulysses", 1, "bfloat16"],
    ["ring", 1, "bfloat16"],
    ["ring", 2, "bfloat16"],
  ] as const)("is what stats say in both modes: %s, hops %d, %s", async (planner, hops, dtype) => {
    const plan = planOf({
      documents: [[90], [7, 8]],
      heads: heads(4, 2, 16, 24),
      cp: 2,
      planner,
      nodes: { ranksPerNode: 2 },
    });
    for (const keepTiles of [false, true]) {
      // Rank 0 enqueues while all others stand still, so nothing it enqueued can be freed.
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      await launchLocal(4, async (rank) => {
        const { device } = rank;
        const options = { rank, pool: rank.world, plan, worker: rank.rank, keepTiles };
        const attention = createAttention({ ...options, hops, dtype });
        const stream = rank.stream("compute");
        const rows = ownedCount(plan.owned[Math.floor(rank.rank / 2)]!, rank.rank % 2);
        const tensor = (count: number, size: number) => device.zeros([rows, count, size], dtype);
        const [q, k, v, dOut] = [tensor(4, 16), tensor(2, 16), tensor(2, 24), tensor(4, 24)];
        await stream.done();
        const { memory } = attention.stats();
        const mode = keepTiles ? memory.keepTiles : memory.sendAgain;
        if (rank.rank > 0) await gate;
        const before = device.memory().liveBytes;
        const { out, saved } = attention.forward(stream, { q, k, v });
        const between = device.memory().liveBytes;
        const { dq, dk, dv } = attention.backward(stream, { dOut, saved });
        const after = device.memory().liveBytes;
        if (rank.rank === 0) {
          const own = (tensors: { byteLength: number }[]) =>
            tensors.reduce((sum, { byteLength }) => sum + byteLength, 0);
          const { logSumExp } = saved; // delta has its shape
          expect(between - before).toBe(mode.forward + own([out, logSumExp]));
          expect(after - between).toBe(mode.backward + own([dq, dk, dv, logSumExp]));
          expect(attention.stats().keptBytes).toBe(mode.held);
          expect(memory.keepTiles.backward).toBeLessThan(memory.sendAgain.backward);
          open();
        }
        await stream.done();
        saved.free();
      });
    }
  });

  it("a plan set between forward and backward is not used for that backward", async () => {
    const shape = heads(4, 2, 8);
    const [first, second] = [[[9, 4]], [[13]]].map((documents) =>
      planOf({ documents, heads: shape }),
    );
    await launchLocal(1, async (rank) => {
      const attention = createAttention({ rank, pool: rank.world, plan: first!, worker: 0 });
      const stream = rank.stream("compute");
      const values = (count: number) =>
        rank.device.fromArray(
          Float32Array.from({ length: 13 * count * 8 }, (_, i) => Math.sin(i)),
          [13, count, 8],
        );
      const inputs = { q: values(4), k: values(2), v: values(2) };
      const { saved } = attention.forward(stream, inputs);
      const dOut = values(4);
      const expected = await stream.read(attention.backward(stream, { dOut, saved }).dk);
      attention.setPlan(second!);
      const again = await stream.read(attention.backward(stream, { dOut, saved }).dk);
      expect(again).toEqual(expected);
      const other = attention.forward(stream, inputs).saved;
      const changed = await stream.read(attention.backward(stream, { dOut, saved: other }).dk);
      expect(changed).not.toEqual(expected);
    });
  });
});
