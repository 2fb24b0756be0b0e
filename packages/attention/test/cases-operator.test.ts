import { pairsCost } from "@libra/cost-model";
import { type Communicator, launchLocal, mergePartials, type Rank } from "@libra/runtime";
import { plannerNames as planners, ulysses } from "@libra/scheduler";
import { contiguousRows, ownedCount } from "@libra/topology";
import { describe, expect, it } from "vitest";
import { attend, createAttention } from "../src/index.js";
import { generateData, relativeError, sumOf, sumOfSquares } from "./support/generate.js";
import {
  bordersOf,
  differing,
  heads,
  largestError,
  type PoolCase,
  planOf,
  runPool,
} from "./support/pool.js";
import { referenceBackward, referenceForward } from "./support/reference.js";

const tolerance = 2e-6;

/** Merges float32 partials (value, log-sum-exp) in order, starting from nothing. */
async function merge(partials: ReadonlyArray<readonly [number, number]>) {
  const [merged] = await launchLocal(1, async (rank) => {
    const { device } = rank;
    const stream = rank.stream("compute");
    const out = device.fromArray([0], [1, 1]);
    const logSumExp = device.fromArray([-Infinity], [1]);
    for (const [value, lse] of partials) {
      const partial = device.fromArray([value], [1, 1]);
      const partialLogSumExp = device.fromArray([lse], [1]);
      mergePartials(stream, { partial, partialLogSumExp, out, logSumExp });
    }
    return [(await stream.read(out))[0]!, (await stream.read(logSumExp))[0]!] as const;
  });
  return merged!;
}

describe("cases C: the operator", { timeout: 120_000 }, () => {
  const c1: PoolCase = { documents: [[5, 3]], heads: heads(6, 2, 4) };

  for (const planner of planners) {
    it.each([1, 2, 3, 4, 5, 8])(`C1, C7 values at cp %d (${planner})`, async (cp) => {
      const result = await runPool({ ...c1, cp, planner });
      const { out, logSumExp, dq, dk, dv } = result.sequences[0]!;
      expect(sumOf(out)).toBeCloseTo(-7.472544553, 5);
      expect(sumOfSquares(out)).toBeCloseTo(57.050237571, 4);
      expect(out.at(-1)).toBeCloseTo(0.553360062, 6);
      expect(sumOf(logSumExp)).toBeCloseTo(50.890120117, 4);
      expect(sumOf(dq)).toBeCloseTo(-1.310951814, 5);
      expect(sumOfSquares(dq)).toBeCloseTo(32.104142176, 4);
      expect(sumOfSquares(dk)).toBeCloseTo(16.176609479, 4);
      expect(sumOf(dv)).toBeCloseTo(3.900637502, 5);
      expect(sumOfSquares(dv)).toBeCloseTo(30.425976167, 4);
      // C7, confirmed by finite differences in the cases' reference.
      expect(dq[(6 * 6 + 5) * 4 + 3]).toBeCloseTo(-0.063971166, 6);
      expect(dk[(4 * 2 + 1) * 4 + 2]).toBeCloseTo(0.015672095, 6);
      expect(dv[(4 * 2 + 1) * 4 + 2]).toBeCloseTo(-0.176666537, 6);
      expect(largestError({ ...c1, cp, planner }, result)).toBeLessThan(tolerance);
    });

    it(`C1 more ranks than heads (${planner})`, async () => {
      const pool: PoolCase = { documents: [[9, 4]], heads: heads(2, 1, 4), cp: 5, planner };
      expect(largestError(pool, await runPool(pool))).toBeLessThan(tolerance);
    });

    it(`C2 one document of 11 rows over 4 ranks (${planner})`, async () => {
      const pool: PoolCase = { documents: [[11]], heads: heads(2, 1, 4), cp: 4, planner };
      const { out, logSumExp, dq, dk, dv } = (await runPool(pool)).sequences[0]!;
      expect(sumOf(out)).toBeCloseTo(16.266908066, 4);
      expect(sumOfSquares(out)).toBeCloseTo(22.057351692, 4);
      expect(sumOf(logSumExp)).toBeCloseTo(41.536540865, 4);
      expect(sumOf(dq)).toBeCloseTo(1.471099003, 5);
      expect(sumOfSquares(dq)).toBeCloseTo(12.69871572, 4);
      expect(sumOfSquares(dk)).toBeCloseTo(9.499377384, 4);
      expect(sumOf(dv)).toBeCloseTo(2.923091157, 5);
      expect(sumOfSquares(dv)).toBeCloseTo(17.973287574, 4);
    });

    it(`C3 tiny shapes (${planner})`, async () => {
      const four: PoolCase = { documents: [[4]], heads: heads(1, 1, 4), cp: 2, planner };
      const result = await runPool(four);
      expect([0, 1].map((index) => ownedCount(result.plan.owned[0]!, index))).toEqual([2, 2]);
      expect(largestError(four, result)).toBeLessThan(tolerance);
      const one: PoolCase = { documents: [[1]], heads: heads(1, 1, 4), cp: 4, planner };
      const single = await runPool(one);
      const { v } = generateData({ rows: 1, ...one.heads });
      expect([0, 1, 2, 3].map((i) => ownedCount(single.plan.owned[0]!, i))).toEqual([1, 0, 0, 0]);
      expect([...single.sequences[0]!.out]).toEqual([...Float32Array.from(v)]);
    });

    it(`C5 the error at cp 8 is at most twice that at cp 1 (${planner})`, async () => {
      const pool: PoolCase = { documents: [[70, 1, 57]], heads: heads(4, 2, 16), planner };
      const [one, eight] = [await runPool(pool), await runPool({ ...pool, cp: 8 })];
      expect(largestError({ ...pool, cp: 8 }, eight)).toBeLessThanOrEqual(
        2 * largestError(pool, one),
      );
    });

    it(`C8 dK and dV are summed over the query heads of their KV head (${planner})`, async () => {
      for (const [queryHeads, expected] of [
        [4, [3, 7]],
        [6, [6, 15]],
      ] as const) {
        const data = {
          q: new Float64Array(queryHeads).fill(1),
          k: new Float64Array(2).fill(1),
          v: new Float64Array(2).fill(1),
          dOut: Float64Array.from({ length: queryHeads }, (_, i) => i + 1),
        };
        const shape = heads(queryHeads, 2, 1);
        const pool: PoolCase = { documents: [[1]], heads: shape, cp: 2, planner, data: [data] };
        const { dq, dk, dv } = (await runPool(pool)).sequences[0]!;
        expect([...dv]).toEqual(expected);
        expect(dq.every((x) => x === 0) && dk.every((x) => x === 0)).toBe(true);
      }
    });

    it(`C12 values wider than queries and keys (${planner})`, async () => {
      const pool: PoolCase = { documents: [[4, 3]], heads: heads(2, 1, 4, 6), cp: 2, planner };
      const { out, dv } = (await runPool(pool)).sequences[0]!;
      expect(sumOf(out)).toBeCloseTo(0.288234884, 5);
      expect(sumOf(dv)).toBeCloseTo(-0.737680014, 5);
    });

    it.each([1, 2])(`C13 the scale is used at cp %d (${planner})`, async (cp) => {
      const pool: PoolCase = {
        documents: [[4, 3]],
        heads: heads(2, 1, 4),
        cp,
        planner,
        scale: 0.25,
      };
      const { out, dq, dk } = (await runPool(pool)).sequences[0]!;
      expect(sumOf(out)).toBeCloseTo(25.934829998, 4);
      expect(sumOf(dq)).toBeCloseTo(1.266668693, 5);
      expect(sumOfSquares(dk)).toBeCloseTo(0.655727546, 5);
    });

    it(`C22 100 rows over 4 ranks are 100 rows (${planner})`, async () => {
      const pool: PoolCase = { documents: [[100]], heads: heads(2, 2, 4), cp: 4, planner };
      const result = await runPool(pool);
      expect(result.sequences[0]!.logSumExp).toHaveLength(200);
      expect(largestError(pool, result)).toBeLessThan(tolerance);
    });
  }

  it("C4 partial results far apart merge without overflow", async () => {
    expect(
      await merge([
        [1, -50],
        [5, 100],
      ]),
    ).toEqual([5, 100]);
    const [value, lse] = await merge([
      [1, 1000],
      [3, 1000],
    ]);
    expect(value).toBeCloseTo(2, 6);
    expect(lse).toBeCloseTo(1000.693147, 3);
    const [weighted, total] = await merge([
      [2, 0],
      [6, Math.log(3)],
    ]);
    expect(weighted).toBeCloseTo(5, 5);
    expect(total).toBeCloseTo(1.386294, 5);
  });

  it("C6 empty partial results are neutral and never NaN", async () => {
    expect(
      await merge([
        [9, -Infinity],
        [3, 0.5],
      ]),
    ).toEqual([3, 0.5]);
    expect(
      await merge([
        [3, 0.5],
        [9, -Infinity],
      ]),
    ).toEqual([3, 0.5]);
    expect(
      await merge([
        [9, -Infinity],
        [7, -Infinity],
      ]),
    ).toEqual([0, -Infinity]);
  });

  it("C9 keys and values travel once per KV head, not once per query head", async () => {
    const pool: PoolCase = {
      documents: [[8], []],
      heads: heads(8, 1, 4),
      plannerOptions: { headBlock: 1 },
    };
    const { stats } = await runPool(pool);
    const { forward } = stats[0]!;
    expect(stats[1]!.forward.last.tiles).toBeGreaterThan(0);
    expect(forward.last.keyBytesSent).toBe(256);
  });

  it("C10 dOut may begin anywhere in its storage; other lengths are an error", async () => {
    const shape = heads(2, 1, 4);
    const data = generateData({ rows: 5, ...shape });
    const inputs = { ...data, cuSeqlens: [0, 3, 5], heads: shape };
    const whole = await attend(inputs);
    const padded = Float64Array.from([Number.NaN, ...data.dOut, Number.NaN]);
    const odd = await attend({ ...inputs, dOut: padded.subarray(1, padded.length - 1) });
    expect(odd).toEqual(whole);
    await expect(attend({ ...inputs, dOut: [1] })).rejects.toThrow(/40 numbers for dOut/);
    await expect(attend({ ...inputs, q: [1] })).rejects.toThrow(
      'Expected whole rows of 8 numbers for q but received "an array of 1"',
    );
    const [sliced] = await launchLocal(1, async (rank) => {
      const plan = planOf({ documents: [[3, 2]], heads: shape, rowBlock: 128 });
      const stream = rank.stream("compute");
      const tensor = (array: Float64Array, count: number) =>
        rank.device.fromArray(Float32Array.from(array), [array.length / count / 4, count, 4]);
      const attention = createAttention({ rank, pool: rank.world, plan, worker: 0 });
      const { saved } = attention.forward(stream, {
        q: tensor(data.q, 2),
        k: tensor(data.k, 1),
        v: tensor(data.v, 1),
      });
      const larger = tensor(Float64Array.from([...new Float64Array(8), ...data.dOut]), 2);
      const { dk } = attention.backward(stream, { dOut: larger.slice(1, 6), saved });
      const wrong = larger.slice(0, 5).reshape(5, 4, 2);
      expect(() => attention.backward(stream, { dOut: wrong, saved })).toThrow(
        /Expected \[5, 2, 4\].*for dOut but received \[5, 4, 2\]/,
      );
      return (await stream.read(dk)) as Float32Array;
    });
    expect(sliced).toEqual(whole.gradients!.dk);
  });

  it.each([1, 8, 33, 64, 80, 96, 128, 160, 256])("C11 head dim %d", async (dim) => {
    const pool: PoolCase = { documents: [[9, 5]], heads: heads(4, 2, dim), cp: 2 };
    // Rounding grows with the length of the products: a plain float32 loop reaches 4.7e-6 at 256.
    const allowed = tolerance * Math.max(1, dim / 128);
    expect(largestError(pool, await runPool(pool))).toBeLessThan(allowed);
  });

  it("C11 a head dim outside the kernels' range is an error that lists the range", async () => {
    for (const shape of [heads(1, 1, 257), heads(1, 1, 4, 257)]) {
      await expect(runPool({ documents: [[2]], heads: shape })).rejects.toMatchObject({
        cause: { code: "UNSUPPORTED", message: expect.stringMatching(/1 to 256.*257/) },
      });
    }
  });

  it("C14 a plan of several workers needs an initialised pool of that size", async () => {
    const plan = planOf({ documents: [[5, 3]], heads: heads(6, 2, 4), cp: 2 });
    const outside = { plan, worker: 0 } as unknown as {
      rank: Rank;
      pool: Communicator;
      plan: typeof plan;
      worker: number;
    };
    expect(() => createAttention(outside)).toThrow(
      expect.objectContaining({ code: "STATE", message: expect.stringContaining("launchLocal") }),
    );
    const data = generateData({ rows: 8, ...plan.heads });
    await expect(
      attend({ ...data, cuSeqlens: [0, 5, 8], heads: plan.heads, plan }),
    ).rejects.toMatchObject({ code: "STATE", message: expect.stringContaining("2 workers") });
    await launchLocal(1, async (rank) => {
      expect(() => createAttention({ rank, pool: rank.world, plan, worker: 0 })).toThrow(
        /pool of 2 ranks.*pool of 1/,
      );
    });
  });

  it("C14 statistics show that the operator took part", async () => {
    for (const planner of ["ulysses", "allGather", "libra"]) {
      const { stats } = await runPool({ ...c1, cp: 2, planner });
      for (const { forward, backward } of stats) {
        expect([forward.calls, backward.calls]).toEqual([1, 1]);
        expect(forward.last.tiles).toBeGreaterThan(0);
        expect(forward.last.segments).toBeGreaterThanOrEqual(forward.last.tiles);
        expect(forward.last.bytesSent + forward.last.bytesReceived).toBeGreaterThan(0);
        expect(backward.last.vectorsSent).toBeGreaterThan(0);
        expect(backward.last.vectorsReceived).toBeGreaterThan(0);
      }
      const [a, b] = stats.map(({ backward }) => backward.total);
      expect(a!.bytesSent).toBe(b!.bytesReceived);
      expect(a!.bytesSent).toBe(a!.bytesToWorker[1]);
    }
  });

  it.each(planners)("C15 30 runs at cp 4 have the same bits (%s)", async (planner) => {
    const pool: PoolCase = { ...c1, cp: 4, planner };
    const first = await runPool(pool);
    for (let run = 1; run < 30; run += 1) {
      expect(differing(await runPool(pool), first)).toEqual([]);
    }
  });

  it("C19 pools of any ranks, with other tensors, give the same results", async () => {
    const plan = planOf({ documents: [[5, 3]], heads: heads(6, 2, 4), cp: 2 });
    const data = generateData({ rows: 8, ...plan.heads });
    for (const pools of [
      [
        [0, 1],
        [2, 3],
      ],
      [
        [0, 2],
        [3, 1],
      ],
    ]) {
      const results = await launchLocal(4, async (rank) => {
        const members = pools.find((ranks) => ranks.includes(rank.rank))!;
        const pool = rank.world.group(members);
        const attention = createAttention({ rank, pool, plan, worker: pool.rank });
        const stream = rank.stream("compute");
        const tensor = (array: Float64Array, count: number) => {
          const own = array.subarray(pool.rank * 16 * count, (pool.rank + 1) * 16 * count);
          return rank.device.fromArray(Float32Array.from(own), [4, count, 4]);
        };
        const inputs = { q: tensor(data.q, 6), k: tensor(data.k, 2), v: tensor(data.v, 2) };
        const { saved } = attention.forward(stream, inputs);
        const { dk } = attention.backward(stream, { dOut: tensor(data.dOut, 6), saved });
        return (await stream.read(dk)) as Float32Array;
      });
      const [first, second] = pools.map((ranks) => ranks.flatMap((rank) => [...results[rank]!]));
      expect(second).toEqual(first);
      expect(sumOfSquares(first!)).toBeCloseTo(16.176609479, 4);
    }
  });

  it("a plan that does not fit the tensors is an error with both shapes", async () => {
    const shape = heads(2, 1, 4);
    const plan = ulysses().plan({
      sequences: [bordersOf([4])],
      heads: shape,
      owned: [contiguousRows(4, 1)],
      cp: 1,
      cost: pairsCost(),
    });
    await launchLocal(1, async (rank) => {
      const attention = createAttention({ rank, pool: rank.world, plan, worker: 0 });
      const q = rank.device.zeros([5, 2, 4]);
      const k = rank.device.zeros([4, 1, 4]);
      expect(() => attention.forward(rank.stream("compute"), { q, k, v: k })).toThrow(
        "Expected [4, 2, 4] (rows, query heads, head dim of the plan) for q but received [5, 2, 4]",
      );
    });
    expect(() => planOf({ documents: [[4]], heads: heads(3, 2, 4) })).toThrow(
      /multiple of kvHeads/,
    );
  });

  it("attend gives the reference's values", async () => {
    const shape = heads(4, 2, 8);
    const data = generateData({ rows: 7, ...shape });
    const { out, gradients } = await attend({ ...data, cuSeqlens: [0, 4, 7], heads: shape });
    const reference = { ...shape, queryLengths: [4, 3], scale: 1 / Math.sqrt(8) };
    expect(relativeError(out, referenceForward(reference, data).out)).toBeLessThan(tolerance);
    const { dk } = referenceBackward(reference, data, data.dOut);
    expect(relativeError(gradients!.dk, dk)).toBeLessThan(tolerance);
  });
});
