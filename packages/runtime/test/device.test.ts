import { describe, expect, it } from "vitest";
import { add, type Device, fill, launchLocal, type Stream } from "../src/index.js";

const onOneRank = (program: (device: Device, stream: Stream) => Promise<void>): Promise<unknown> =>
  launchLocal(1, (rank) => program(rank.device, rank.stream("compute")));

describe("device", () => {
  it("describes itself", async () => {
    await onOneRank(async (device) => {
      expect(device.kind).toBe("cpu");
      expect(["base", "avx2", "avx512"]).toContain(device.instructionSet);
      expect(device.rowBlock).toBeGreaterThan(0);
    });
    const set = { instructionSet: "base" } as const;
    expect(await launchLocal(1, async ({ device }) => device.instructionSet, set)).toEqual([
      "base",
    ]);
  });

  it("C10 copies subarrays at odd offsets; strided tensors do not exist", async () => {
    await onOneRank(async (device, stream) => {
      const buffer = Float32Array.from({ length: 20 }, (_, i) => i);
      const odd = device.fromArray(buffer.subarray(3, 9), [2, 3]);
      buffer.fill(-1); // copied by then
      expect([...(await stream.read(odd))]).toEqual([3, 4, 5, 6, 7, 8]);
      const strided = { shape: [2, 3], strides: [6, 1] };
      // @ts-expect-error: no such option
      expect(() => device.fromArray(buffer, strided)).toThrow("Strided tensors do not exist");
      // @ts-expect-error: no such option
      expect(() => device.empty([2, 3], { strides: [6, 1] })).toThrow("contiguous and row-major");
    });
  });

  it("takes numbers and typed arrays, and converts when told", async () => {
    await onOneRank(async (device, stream) => {
      expect(await stream.read(device.fromArray([1.5, 2]))).toEqual(Float32Array.of(1.5, 2));
      expect(await stream.read(device.fromArray(Int32Array.of(1, -2)))).toEqual(
        Int32Array.of(1, -2),
      );
      const doubles = device.fromArray(Float64Array.of(0.1));
      expect(await stream.read(doubles)).toEqual(Float64Array.of(0.1));
      const whole = device.fromArray([1, 2, 3, 4], [2, 2], "int32");
      expect(whole).toMatchObject({ shape: [2, 2], dtype: "int32", size: 4, byteLength: 16 });
      expect(await stream.read(whole.slice(1, 2).reshape(2))).toEqual(Int32Array.of(3, 4));
      expect(await stream.read(device.zeros([0, 3]))).toEqual(new Float32Array(0));
    });
  });

  it("rounds to bfloat16 and reads it back as float32", async () => {
    await onOneRank(async (device, stream) => {
      const [tie, above] = [1 + 2 ** -8, 1 + 3 * 2 ** -8]; // half-way: to the even neighbour
      const values = Float32Array.of(tie, above, -tie, 1 + 2 ** -8 + 2 ** -20, 0.1, -0, NaN, 3e38);
      const tensor = device.fromArray(values, [2, 4], "bfloat16");
      expect(tensor).toMatchObject({ dtype: "bfloat16", size: 8, byteLength: 16 });
      const read = await stream.read(tensor);
      const wanted = [1, 1 + 2 ** -6, -1, 1 + 2 ** -7, 0.10009765625, -0, NaN];
      expect([...read.subarray(0, 7)]).toEqual(wanted);
      expect(await stream.read(tensor.slice(1, 2).reshape(4))).toEqual(read.slice(4));
      expect([...(await stream.read(device.zeros([3], "bfloat16")))]).toEqual([0, 0, 0]);
      expect(await stream.read(device.empty([0], "bfloat16"))).toEqual(new Float32Array(0));
      const plain = device.fromArray([1, 2.5], [2], "bfloat16");
      expect([...(await stream.read(plain))]).toEqual([1, 2.5]);
    });
  });

  it("refuses shapes, types and borders that make no sense", async () => {
    await onOneRank(async (device) => {
      expect(() => device.empty([2, -1])).toThrow("for shape but received [2,-1]");
      expect(() => device.empty([1.5])).toThrow("for shape");
      // @ts-expect-error: not a type
      expect(() => device.empty([1], "float16")).toThrow(
        "one of float32, bfloat16, int32, float64 for dtype",
      );
      expect(() => device.fromArray([1, 2, 3], [2])).toThrow("Expected 3 elements");
      const tensor = device.zeros([4, 2]);
      expect(() => tensor.slice(1, 5)).toThrow("for end");
      expect(() => tensor.reshape(3, 3)).toThrow("Expected 8 elements, as [4, 2] for shape");
    });
  });

  it("keeps a freed tensor's memory until the operations on it have run", async () => {
    await onOneRank(async (device, stream) => {
      const total = device.zeros([1000]);
      for (let i = 0; i < 200; i += 1) {
        const one = device.empty([1000]);
        fill(stream, { out: one, value: 1 });
        add(stream, { a: total, b: one, out: total });
        one.free();
        expect(() => fill(stream, { out: one, value: 2 })).toThrow("freed");
        if (i % 50 === 49) await stream.done();
      }
      expect(new Set(await stream.read(total))).toEqual(new Set([200]));
      const { liveTensors, liveBytes, allocations, reuses } = device.memory();
      expect(liveTensors).toBe(1);
      expect(liveBytes).toBe(4000);
      expect(allocations).toBe(201);
      expect(reuses).toBeGreaterThan(100);
    });
  });

  it("frees what a scope made and did not return or keep", async () => {
    await onOneRank(async (device, stream) => {
      let kept = device.empty([1]);
      const { pair, inner } = device.scope((keep) => {
        const [a, b, c] = [device.fromArray([1]), device.fromArray([2]), device.fromArray([3])];
        kept = keep(c);
        const inner = device.scope(() => [device.fromArray([4]), 5] as const);
        const sum = device.empty([1]);
        add(stream, { a, b, out: sum });
        return { pair: { sum: sum.reshape(1, 1), list: [a] }, inner };
      });
      await stream.done();
      expect(device.memory().liveTensors).toBe(5);
      expect([...(await stream.read(pair.sum))]).toEqual([3]);
      expect([...(await stream.read(pair.list[0]!))]).toEqual([1]);
      expect([...(await stream.read(inner[0]))]).toEqual([4]);
      expect([...(await stream.read(kept))]).toEqual([3]);
      expect(() => device.scope(async () => 1)).toThrow("Expected a synchronous function for fn");
      expect(() =>
        device.scope(() => {
          device.empty([1]);
          throw new Error("inside");
        }),
      ).toThrow("inside");
      expect(device.memory().liveTensors).toBe(5);
    });
  });

  it("does not grow in a synchronous loop that frees", async () => {
    await onOneRank(async (device) => {
      for (let i = 0; i < 300; i += 1) device.empty([1 << 18]).free();
      expect(device.memory().peakBytes).toBe(1 << 20);
      expect(device.memory().cachedBytes).toBe(1 << 20);
      device.trim();
      expect(device.memory().cachedBytes).toBe(0);
    });
  });

  it("gives everything back when the launch ends, well or not", async () => {
    const devices: Device[] = [];
    const launch = (fails: boolean): Promise<unknown> =>
      launchLocal(2, async (rank) => {
        devices.push(rank.device);
        const stream = rank.stream("comm");
        const tensor = rank.device.zeros([1 << 16]);
        fill(stream, { out: tensor, value: 1 });
        rank.world.allReduce(stream, fails && rank.rank === 1 ? tensor.slice(0, 1) : tensor);
        await stream.done();
      });
    await launch(false);
    await launch(true).catch(() => {});
    for (let i = 0; i < 50 && devices.some((device) => device.memory().liveTensors > 0); i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const device of devices) {
      expect(device.memory()).toMatchObject({ liveBytes: 0, cachedBytes: 0, leaked: 0 });
    }
  });

  it("belongs to one rank", async () => {
    const shared: unknown[] = [];
    const launch = launchLocal(2, async (rank) => {
      const stream = rank.stream("compute");
      if (rank.rank === 0) shared.push(rank.device.zeros([1]));
      rank.world.barrier(stream);
      await stream.done();
      if (rank.rank === 1) {
        const foreign = shared[0] as ReturnType<Device["zeros"]>;
        expect(() => fill(stream, { out: foreign, value: 1 })).toThrow(
          "Expected a tensor of the stream's own rank for out of fill",
        );
      }
    });
    await launch;
  });
});
