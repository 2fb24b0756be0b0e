import { describe, expect, it } from "vitest";
import { add, fill, launchLocal } from "../src/index.js";

describe("stream", () => {
  it("is one per name, runs in order and beside other streams", async () => {
    await launchLocal(1, async (rank) => {
      const [a, b] = [rank.stream("a"), rank.stream("b")];
      expect(rank.stream("a")).toBe(a);
      const tensor = rank.device.zeros([1]);
      const one = rank.device.fromArray([1]);
      for (let i = 0; i < 100; i += 1) {
        const [first, second] = i % 2 === 0 ? [a, b] : [b, a];
        add(first, { a: tensor, b: one, out: tensor });
        second.wait(first.record());
      }
      await Promise.all([a.done(), b.done()]);
      expect([...(await a.read(tensor))]).toEqual([100]);
    });
  });

  it("keeps times by kind of operation", async () => {
    await launchLocal(1, async (rank) => {
      const stream = rank.stream("compute");
      const tensor = rank.device.empty([1 << 16]);
      for (let i = 0; i < 5; i += 1) fill(stream, { out: tensor, value: i });
      await stream.done();
      const { fill: times } = rank.timings().compute!;
      expect(times!.count).toBe(5);
      expect(times!.wallMs).toBeGreaterThan(0);
      expect(times!.cpuMs).toBeGreaterThan(0);
      stream.resetTimings();
      expect(stream.timings().fill).toBeUndefined();
    });
  });

  it("counts time spent waiting for peers", async () => {
    const waits = await launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      if (rank.rank === 1) await new Promise((resolve) => setTimeout(resolve, 100));
      rank.world.barrier(stream);
      await stream.done();
      return stream.timings().barrier!.waitMs;
    });
    expect(waits[0]).toBeGreaterThan(60);
    expect(waits[1]).toBeLessThan(60);
  });

  it("refuses events and tensors of other launches", async () => {
    const [event] = await launchLocal(1, async (rank) => rank.stream("a").record());
    await launchLocal(1, async (rank) => {
      const stream = rank.stream("a");
      expect(() => stream.wait(event!)).toThrow("Expected an event of the same launch for event");
      // @ts-expect-error: not an event
      expect(() => stream.wait({})).toThrow("Expected an event");
      // @ts-expect-error: not a tensor
      expect(() => stream.read(3)).toThrow("Expected a tensor for tensor but received 3");
      expect(() => rank.stream("")).toThrow("Expected a name");
    });
  });
});
