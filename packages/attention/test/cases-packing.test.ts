import { pairsCost } from "@libra/cost-model";
import {
  attentionBackward,
  attentionDelta,
  attentionForward,
  fill,
  launchLocal,
  rope,
} from "@libra/runtime";
import { plannerNames as planners, ulysses } from "@libra/scheduler";
import {
  contiguousRows,
  documentPositions,
  ownedCount,
  ownedIndices,
  zigzagRows,
} from "@libra/topology";
import { describe, expect, it } from "vitest";
import { attend, createAttention } from "../src/index.js";
import { elementOffset, vectorIndex } from "../src/offsets.js";
import { type Data, generate, generateData, sumOf, sumOfSquares } from "./support/generate.js";
import { bordersOf, heads, type PoolCase, runPool, takeRows } from "./support/pool.js";

const rowsOf = (flat: Float32Array, from: number, to: number, size: number) => [
  ...flat.subarray(from * size, to * size),
];

describe("cases B: packing", { timeout: 120_000 }, () => {
  it.each(planners)(
    "B1 a document's outputs do not depend on another document (%s)",
    async (planner) => {
      expect([...documentPositions([0, 3, 5], contiguousRows(5, 1), 0)]).toEqual([0, 1, 2, 0, 1]);
      const pool: PoolCase = { documents: [[3, 2]], heads: heads(4, 2, 4), cp: 2, planner };
      const data = generateData({ rows: 5, ...pool.heads });
      const changed: Data = { ...data, q: data.q.slice(), k: data.k.slice(), v: data.v.slice() };
      for (const name of ["q", "k", "v"] as const) changed[name][9]! += 1;
      const before = await runPool({ ...pool, data: [data] });
      const after = await runPool({ ...pool, data: [changed] });
      const size = 4 * 4;
      const [a, b] = [before.sequences[0]!, after.sequences[0]!];
      expect(rowsOf(b.out, 3, 5, size)).toEqual(rowsOf(a.out, 3, 5, size));
      expect(rowsOf(b.out, 0, 3, size)).not.toEqual(rowsOf(a.out, 0, 3, size));
    },
  );

  it.each(planners)("B1 equal documents have equal outputs (%s)", async (planner) => {
    const one = generateData({ rows: 3, ...heads(4, 2, 4) });
    const twice = (array: Float64Array) => Float64Array.from([...array, ...array]);
    const data = { q: twice(one.q), k: twice(one.k), v: twice(one.v), dOut: twice(one.dOut) };
    const pool: PoolCase = {
      documents: [[3, 3]],
      heads: heads(4, 2, 4),
      cp: 2,
      planner,
      data: [data],
    };
    const { out, dq, dk } = (await runPool(pool)).sequences[0]!;
    for (const [tensor, size] of [
      [out, 16],
      [dq, 16],
      [dk, 8],
    ] as const) {
      expect(rowsOf(tensor, 3, 6, size)).toEqual(rowsOf(tensor, 0, 3, size));
    }
  });

  it.each([1, 2, 4])("B2 one changed token changes only its own document, cp %d", async (cp) => {
    const pool: PoolCase = { documents: [[6, 6]], heads: heads(2, 1, 4), cp };
    const data = generateData({ rows: 12, ...pool.heads });
    const v = data.v.slice();
    v[0]! += 1;
    const before = (await runPool({ ...pool, data: [data] })).sequences[0]!;
    const after = (await runPool({ ...pool, data: [{ ...data, v }] })).sequences[0]!;
    const changed = Array.from({ length: 12 }, (_, row) => row).filter(
      (row) =>
        rowsOf(before.out, row, row + 1, 8).join() !== rowsOf(after.out, row, row + 1, 8).join(),
    );
    expect(changed).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("B3 an argument that is not implemented is an error, never ignored", async () => {
    const shape = heads(2, 1, 4);
    const data = generateData({ rows: 4, ...shape });
    for (const name of ["mask", "bias", "window", "dropout", "positions"]) {
      const inputs = { ...data, cuSeqlens: [0, 4], heads: shape, [name]: [1] };
      await expect(attend(inputs)).rejects.toMatchObject({
        code: "UNSUPPORTED",
        message: expect.stringContaining(name),
      });
    }
    const plan = ulysses().plan({
      sequences: [bordersOf([4])],
      heads: shape,
      owned: [contiguousRows(4, 1)],
      cp: 1,
      cost: pairsCost(),
    });
    await launchLocal(1, async (rank) => {
      const options = { rank, pool: rank.world, plan, worker: 0 };
      expect(() => createAttention({ ...options, window: 128 } as typeof options)).toThrow(
        /window/,
      );
      const attention = createAttention(options);
      const tensor = (array: Float64Array, count: number) =>
        rank.device.fromArray(Float32Array.from(array), [4, count, 4]);
      const inputs = { q: tensor(data.q, 2), k: tensor(data.k, 1), v: tensor(data.v, 1) };
      const masked = { ...inputs, mask: tensor(data.v, 1) };
      expect(() => attention.forward(rank.stream("compute"), masked)).toThrow(/"mask"/);
    });
  });

  it.each([[[0, 256, 512, 768]], [[1, 256]], [[0, 200, 100, 256]], [[0, 256.5]], [[]]])(
    "B4 wrong borders %j of 256 rows are an error",
    async (cuSeqlens) => {
      const shape = heads(1, 1, 1);
      const inputs = { ...generateData({ rows: 256, ...shape }), cuSeqlens, heads: shape };
      await expect(attend(inputs)).rejects.toMatchObject({
        code: "ARGUMENT",
        message: expect.stringContaining("cuSeqlens"),
      });
    },
  );

  it("B5 a sequence without documents gives empty tensors and its rank takes part", async () => {
    const alone = await runPool({ documents: [[]], heads: heads(2, 1, 4) });
    expect(alone.sequences[0]!.out).toHaveLength(0);
    expect(alone.sequences[0]!.dk).toHaveLength(0);
    for (const planner of planners) {
      const pool: PoolCase = { documents: [[], [5, 3]], heads: heads(6, 2, 4), cp: 2, planner };
      const { sequences, stats } = await runPool(pool);
      expect(sequences[0]!.dq).toHaveLength(0);
      expect(sumOf(stats.map(({ forward }) => forward.calls))).toBe(4);
      expect(sumOf(sequences[1]!.dv)).toBeGreaterThan(0);
    }
  });

  it.each(planners)(
    "B6 a length that 2·CP does not divide keeps its last row (%s)",
    async (planner) => {
      const data: Data = {
        q: new Float64Array(7),
        k: new Float64Array(7),
        v: Float64Array.from([1, 1, 1, 1, 2, 2, 2]),
        dOut: new Float64Array(7),
      };
      for (const own of [contiguousRows, undefined]) {
        const { sequences } = await runPool({
          documents: [[7]],
          heads: heads(1, 1, 1),
          cp: 2,
          planner,
          data: [data],
          own: own === undefined ? zigzagRows : (borders, cp) => own(borders.at(-1)!, cp),
        });
        const expected = [1, 1, 1, 1, 1.2, 4 / 3, 10 / 7];
        for (const [row, value] of expected.entries()) {
          expect(sequences[0]!.out[row]).toBeCloseTo(value, 6);
        }
      }
    },
  );

  it("B7 no padding: 7 + 5 + 4 rows over two ranks are 16 rows", async () => {
    const pool: PoolCase = { documents: [[7, 5, 4]], heads: heads(2, 1, 4), cp: 2 };
    const { sequences, plan } = await runPool(pool);
    expect([...plan.sequences[0]!]).toEqual([0, 7, 12, 16]);
    expect(sequences[0]!.logSumExp).toHaveLength(16 * 2);
  });

  it("B10 rotary positions of a shard are those of its rows", async () => {
    const borders = bordersOf([4, 4]);
    const owned = zigzagRows(borders, 2);
    expect([...ownedIndices(owned, 0)]).toEqual([0, 3, 4, 7]);
    const positions = documentPositions(borders, owned, 0);
    expect([...positions]).toEqual([0, 3, 0, 3]);
    const q = generate(0.1, 8 * 2 * 4);
    const rotate = (values: Float32Array, at: Int32Array) =>
      launchLocal(1, async (rank) => {
        const stream = rank.stream("compute");
        const x = rank.device.fromArray(values, [at.length, 2, 4]);
        const out = rank.device.empty([at.length, 2, 4]);
        rope(stream, { x, positions: rank.device.fromArray(at), theta: 1e6, out });
        return (await stream.read(out)) as Float32Array;
      });
    const all = documentPositions(borders, contiguousRows(8, 1), 0);
    const [whole] = await rotate(Float32Array.from(q), all);
    const [shard] = await rotate(takeRows(q, ownedIndices(owned, 0), 8), positions);
    const expected = takeRows(Float64Array.from(whole!), ownedIndices(owned, 0), 8);
    expect([...shard!]).toEqual([...expected]);
  });

  it("B15 offsets beyond 32 bits are exact, and no mask of T² is allocated", async () => {
    expect(vectorIndex(225304, 9728, 0)).toBe(2191757312);
    expect(elementOffset(vectorIndex(1048576, 32, 0), 128)).toBe(4294967296);
    expect(vectorIndex(46341, 46341, 0)).toBe(2147488281);
    expect(() => elementOffset(2 ** 52, 4)).toThrow(/2\^53/);
    const rows = 4096;
    const shape = heads(1, 1, 1);
    await launchLocal(1, async (rank) => {
      const plan = ulysses().plan({
        sequences: [bordersOf([rows])],
        heads: shape,
        owned: [contiguousRows(rows, 1)],
        cp: 1,
        cost: pairsCost(),
      });
      const attention = createAttention({ rank, pool: rank.world, plan, worker: 0 });
      const stream = rank.stream("compute");
      const tensor = () => rank.device.zeros([rows, 1, 1]);
      const { saved } = attention.forward(stream, { q: tensor(), k: tensor(), v: tensor() });
      attention.backward(stream, { dOut: tensor(), saved });
      await stream.done();
      expect(rank.device.memory().peakBytes).toBeLessThan(rows * 64 * 4);
    });
  });

  it("B16 documents of 0 and 1 rows: out is the row's own value", async () => {
    for (const planner of planners) {
      const pool: PoolCase = { documents: [[0, 1, 0, 1]], heads: heads(9, 3, 64), cp: 2, planner };
      const { v } = generateData({ rows: 2, ...pool.heads });
      const { sequences, plan } = await runPool(pool);
      expect(ownedCount(plan.owned[0]!, 0)).toBe(1);
      const { out } = sequences[0]!;
      expect(out).toHaveLength(2 * 9 * 64);
      for (let row = 0; row < 2; row += 1) {
        for (let head = 0; head < 9; head += 1) {
          const from = (row * 3 + Math.floor(head / 3)) * 64;
          const expected = Float32Array.from(v.subarray(from, from + 64));
          expect(rowsOf(out, row * 9 + head, row * 9 + head + 1, 64)).toEqual([...expected]);
        }
      }
    }
  });

  it("B17 keys of a segment without rows get gradients of exactly zero", async () => {
    const shape = heads(1, 1, 2);
    const data = generateData({ rows: 2, keys: 5, ...shape });
    const [result] = await launchLocal(1, async (rank) => {
      const { device } = rank;
      const stream = rank.stream("compute");
      const tensor = (array: Float64Array) =>
        device.fromArray(Float32Array.from(array), [array.length / 2, 2]);
      const [q, k, v, dOut] = [tensor(data.q), tensor(data.k), tensor(data.v), tensor(data.dOut)];
      const out = device.empty([2, 2]);
      const logSumExp = device.empty([2]);
      const delta = device.empty([2]);
      const [dq, dk, dv] = [device.empty([2, 2]), device.empty([5, 2]), device.empty([5, 2])];
      const segments = {
        count: 2,
        queryOffset: Float64Array.from([0, 0]),
        queryStride: Int32Array.from([1, 1]),
        heads: Int32Array.from([1, 1]),
        rows: Int32Array.from([0, 2]),
        keyOffset: Float64Array.from([0, 3]),
        keyStride: Int32Array.from([1, 1]),
        keys: Int32Array.from([3, 2]),
        causal: Int32Array.from([0, 0]),
      };
      const sizes = { segments, scale: 1 / Math.sqrt(2), headDim: 2, valueDim: 2 };
      attentionForward(stream, { q, k, v, out, logSumExp, ...sizes });
      attentionDelta(stream, { out, dOut, delta });
      for (const gradient of [dq, dk, dv]) fill(stream, { out: gradient, value: 0 });
      attentionBackward(stream, { q, k, v, dOut, logSumExp, delta, dq, dk, dv, ...sizes });
      const read = async (from: typeof out) => (await stream.read(from)) as Float32Array;
      return { out: await read(out), dk: await read(dk), dv: await read(dv) };
    });
    expect(sumOf(result!.out)).toBeCloseTo(-1.53984656, 6);
    expect(sumOfSquares(result!.dk)).toBeCloseTo(0.138409581, 6);
    expect(sumOf(result!.dv)).toBeCloseTo(3.51862578, 5);
    expect(rowsOf(result!.dk, 0, 3, 2)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(rowsOf(result!.dv, 0, 3, 2)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
