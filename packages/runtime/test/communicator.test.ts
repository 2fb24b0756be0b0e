import { describe, expect, it } from "vitest";
import { launchLocal } from "../src/index.js";
import { faultOf } from "./support/fault.js";
import { numbers } from "./support/random.js";

describe("collectives", () => {
  for (const size of [1, 2, 3, 5]) {
    it(`give the same bits on ${size} ranks, summed in rank order`, async () => {
      const count = 1000;
      const inputs = Array.from({ length: size }, (_, rank) => numbers(count * size, rank));
      const got = await launchLocal(size, async (rank) => {
        const stream = rank.stream("comm");
        const { device, world } = rank;
        const own = inputs[rank.rank]!;
        const all = device.fromArray(own);
        const part = device.empty([count]);
        const gathered = device.empty([size, count]);
        const spread = device.fromArray(own.subarray(0, 5));
        world.reduceScatter(stream, all, part);
        world.allReduce(stream, all);
        world.allGather(stream, part, gathered);
        world.broadcast(stream, spread, size - 1);
        world.barrier(stream);
        const tensors = [all, part, gathered, spread];
        return await Promise.all(tensors.map((tensor) => stream.read(tensor)));
      });
      const sums = Float32Array.from(inputs[0]!);
      for (const input of inputs.slice(1)) {
        for (let i = 0; i < sums.length; i += 1) sums[i]! += input[i]!;
      }
      got.forEach(([all, part, gathered, spread], rank) => {
        expect(all).toEqual(sums);
        expect(part).toEqual(sums.slice(rank * count, (rank + 1) * count));
        expect(gathered).toEqual(sums);
        expect(spread).toEqual(inputs[size - 1]!.slice(0, 5));
      });
    });
  }

  it("sum int32 and float64", async () => {
    const got = await launchLocal(3, async (rank) => {
      const stream = rank.stream("comm");
      const whole = rank.device.fromArray(Int32Array.of(rank.rank, 10));
      const double = rank.device.fromArray(Float64Array.of(0.1 * (rank.rank + 1)));
      rank.world.allReduce(stream, whole);
      rank.world.allReduce(stream, double);
      return [...(await stream.read(whole)), ...(await stream.read(double))];
    });
    for (const values of got) expect(values).toEqual([3, 30, 0.1 + 0.2 + 0.1 * 3]);
  });

  it("sum bfloat16 in float32, rounded once, and move it as it is", async () => {
    // 256 + 0.5 + 0.5 + 0.5 + 0.5 stays 256 when each sum is rounded to 8 bits.
    const got = await launchLocal(5, async (rank) => {
      const stream = rank.stream("comm");
      const { device, world } = rank;
      const own = Array.from({ length: 15 }, () => (rank.rank === 0 ? 256 : 0.5));
      const all = device.fromArray(own, [15], "bfloat16");
      const part = device.empty([3], "bfloat16");
      const gathered = device.empty([15], "bfloat16");
      const spread = device.fromArray([rank.rank, 0.1], [2], "bfloat16");
      world.reduceScatter(stream, all, part);
      world.allReduce(stream, all);
      world.allGather(stream, part, gathered);
      world.broadcast(stream, spread, 3);
      const tensors = [all, part, gathered, spread];
      return await Promise.all(tensors.map(async (tensor) => [...(await stream.read(tensor))]));
    });
    for (const values of got) {
      const [all, part, gathered, spread] = values;
      expect([all, part, gathered]).toEqual([15, 3, 15].map((count) => Array(count).fill(258)));
      expect(spread).toEqual([3, 0.10009765625]);
    }
  });

  it("refuse to sum float32 with bfloat16 and name both sides", async () => {
    const launch = launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      const tensor = rank.rank === 0 ? rank.device.zeros([2]) : rank.device.zeros([4], "bfloat16");
      rank.world.allReduce(stream, tensor);
      await stream.done();
    });
    await expect(launch).rejects.toMatchObject({
      code: "MISMATCH",
      message: expect.stringMatching(/8 bytes of float32.*8 bytes of bfloat16|bfloat16.*float32/),
    });
  });

  it("C19 groups have ranks of their own, contiguous or not", async () => {
    for (const groups of [
      [
        [0, 1],
        [2, 3],
      ],
      [
        [0, 2],
        [1, 3],
      ],
      [
        [3, 0],
        [2, 1],
      ],
    ]) {
      const got = await launchLocal(4, async (rank) => {
        const stream = rank.stream("comm");
        const ranks = groups.find((members) => members.includes(rank.rank))!;
        const group = rank.world.group(ranks);
        expect(group.ranks).toEqual(ranks);
        expect(group.ranks[group.rank]).toBe(rank.rank);
        const sum = rank.device.fromArray([10 ** rank.rank]);
        const all = rank.device.empty([2]);
        const root = rank.device.fromArray([rank.rank]);
        group.allGather(stream, sum, all);
        group.allReduce(stream, sum);
        group.broadcast(stream, root, 1);
        const tensors = [sum, all, root];
        return await Promise.all(tensors.map(async (tensor) => [...(await stream.read(tensor))]));
      });
      got.forEach(([sum, all, root], rank) => {
        const ranks = groups.find((members) => members.includes(rank))!;
        expect(sum).toEqual([ranks.reduce((total, member) => total + 10 ** member, 0)]);
        expect(all).toEqual(ranks.map((member) => 10 ** member));
        expect(root).toEqual([ranks[1]]);
      });
    }
  });

  it("refuse groups of others, and sizes that do not fit", async () => {
    await launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      const { world, device } = rank;
      expect(() => world.group([1 - rank.rank])).toThrow("the caller's rank");
      expect(() => world.group([0, 0])).toThrow("Expected distinct ranks for ranks");
      expect(() => world.group([0, 2])).toThrow("Expected members of [0,1] for ranks");
      expect(() => world.allGather(stream, device.zeros([2]), device.zeros([3]))).toThrow(
        "Expected 2 × the 2 elements of input [2] float32 for output but received [3] float32",
      );
      expect(() => world.broadcast(stream, device.zeros([2]), 2)).toThrow("for root");
    });
  });

  it("C18 streams of different names may run communicators in different order", async () => {
    await launchLocal(2, async (rank) => {
      const [pool, replicas] = [rank.world.group([0, 1]), rank.world.group([0, 1])];
      const tensor = rank.device.zeros([4]);
      const calls = [
        () => pool.allReduce(rank.stream("exchange"), tensor),
        () => replicas.barrier(rank.stream("gradients")),
      ];
      for (const call of rank.rank === 0 ? calls : calls.reverse()) call();
      await Promise.all([rank.stream("exchange").done(), rank.stream("gradients").done()]);
    });
  });

  for (const fuzz of [undefined, { seed: 3 }]) {
    it(`C18 another order on one stream fails clearly${fuzz ? " under fuzzing" : ""}`, async () => {
      const launch = launchLocal(
        2,
        async (rank) => {
          const stream = rank.stream("comm");
          const [pool, replicas] = [rank.world.group([0, 1]), rank.world.group([0, 1])];
          const calls = [
            () => pool.allReduce(stream, rank.device.zeros([4])),
            () => replicas.barrier(stream),
          ];
          for (const call of rank.rank === 0 ? calls : calls.reverse()) call();
          await stream.done();
        },
        { fuzz },
      );
      const { code, message } = await faultOf(launch);
      expect(code).toBe("MISMATCH");
      expect(message).toMatch(/^Order mismatch at seq 0: rank \d waits in (allReduce|barrier) #0/);
    });
  }

  it("names both calls when members call different collectives", async () => {
    const launch = launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      if (rank.rank === 0) rank.world.barrier(stream);
      else rank.world.allReduce(stream, rank.device.zeros([1]));
      await stream.done();
    });
    const { code, message } = await faultOf(launch);
    expect(code).toBe("MISMATCH");
    expect(message).toMatch(/barrier.*allReduce|allReduce.*barrier/);
  });
});
