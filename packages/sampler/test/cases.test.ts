// The cases of people who train on long, packed sequences that concern sampling; A9, A10, A19 and D2
// stand in placement/partition.test.ts, A12, A13, A15 (packing) and A16 in packing/.
import { causalPairs } from "@libra/cost-model";
import { createLayout } from "@libra/topology";
import { describe, expect, test } from "vitest";
import {
  createSampler,
  cuSeqlensOf,
  noSequence,
  planHash,
  type SamplerOptions,
  type SamplerState,
  type StepPlan,
} from "../src/index.js";
import { lognormalLengths, plain, sum } from "./helpers.js";

const take = (count: number, sampler: { next(): StepPlan }) =>
  Array.from({ length: count }, () => sampler.next());
const saved = (state: SamplerState): SamplerState => JSON.parse(JSON.stringify(state));
const documents = (plan: StepPlan) => plain(plan.segmentDocument).sort((a, b) => a - b);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** Documents that fill a window each, so that document ids are sequence ids. */
const windows = (count: number, more: Partial<SamplerOptions> = {}): SamplerOptions => ({
  lengths: new Array<number>(count).fill(8),
  window: 8,
  dp: 1,
  ...more,
});

describe("A: samplers", () => {
  test("A1: resume with twice the replicas continues at the first sample not consumed", () => {
    const options = windows(16, { microSteps: 4, shuffle: false, dropLast: false });
    const one = createSampler(options);
    expect(documents(one.next())).toEqual(range(0, 4));
    const two = createSampler({ ...options, dp: 2 });
    two.restore(saved(one.state()));
    expect(documents(two.next())).toEqual(range(4, 12));
    const tail = two.next();
    expect(documents(tail)).toEqual(range(12, 16));
    expect(sum(tail.weight)).toBe(4);
    expect(two.state()).toMatchObject({ epoch: 0, cursor: 16, consumedSamples: 16 });
    expect(two.next().epoch).toBe(1);
    // With dropLast the four that are left do not make a step: the next epoch begins.
    const dropping = createSampler({ ...options, dp: 2, dropLast: true });
    dropping.restore(saved(one.state()));
    expect(documents(dropping.next())).toEqual(range(4, 12));
    expect(dropping.next()).toMatchObject({ epoch: 1, step: 0 });
  });

  test("A2: stopping inside an epoch changes neither its rest nor the next epoch", () => {
    const options = windows(10, { microSteps: 2, seed: 7 });
    const whole = take(10, createSampler(options)).map(documents);
    const first = createSampler(options);
    take(2, first);
    const second = createSampler(options);
    second.restore(saved(first.state()));
    expect(take(8, second).map(documents)).toEqual(whole.slice(2));
    const epoch = (from: number) => whole.slice(from, from + 5).flat();
    expect(epoch(5)).not.toEqual(epoch(0));
  });

  test("A4: the state is small at any size, and restoring does not replay", () => {
    const [small, large] = [1000, 1_000_000].map((count) => {
      const sampler = createSampler({
        lengths: new Uint32Array(count).fill(50),
        window: 100,
        dp: 4,
      });
      sampler.next();
      const steps = sampler.stepsPerEpoch;
      const state = sampler.state();
      const at = (share: number) => {
        const step = Math.floor(steps * share);
        return { ...state, step, cursor: step * 4 };
      };
      for (const share of [0.1, 0.9]) {
        sampler.restore(at(share));
        expect(planHash(sampler.next())).toBe(planHash(sampler.plan(0, at(share).step)));
      }
      // The quickest of many, so that other processes on the machine do not count.
      const quickest = [0.1, 0.9].map((share) => {
        let least = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 200; round++) {
          const begun = performance.now();
          for (let turn = 0; turn < 20; turn++) sampler.restore(at(share));
          least = Math.min(least, performance.now() - begun);
        }
        return least;
      });
      expect(quickest[1]! / quickest[0]!).toBeLessThan(3);
      return { bytes: JSON.stringify(state).length, milliseconds: quickest[1]! };
    });
    expect(large!.bytes / small!.bytes).toBeLessThanOrEqual(2);
    expect(large!.bytes).toBeLessThan(64 * 1024);
    expect(large!.milliseconds / small!.milliseconds).toBeLessThan(3);
  });

  test("A5: epoch after epoch in the same memory", () => {
    const lengths = lognormalLengths(10_000, 6, { median: 200, clip: 2000 });
    const sampler = createSampler({ lengths, window: 2000, dp: 8 });
    const residentAfter = (from: number, to: number) => {
      for (let epoch = from; epoch < to; epoch++) sampler.plan(epoch, 0);
      return process.memoryUsage().rss;
    };
    const half = residentAfter(0, 50);
    expect(residentAfter(50, 100)).toBeLessThan(half * 1.05 + 8 * 2 ** 20);
  });

  test("A14: a hundred thousand documents pack in far less than a second", () => {
    const lengths = lognormalLengths(100_000, 6);
    const options: SamplerOptions = { lengths, window: 2 ** 17, dp: 8, packing: "bestFit" };
    const begun = performance.now();
    const { report } = createSampler(options);
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(report.unused / (report.sequences * report.window)).toBeLessThan(0.01);
  });

  test("A6: shuffle and seed are heeded, 0 is a seed and the default", () => {
    const ids = (more: Partial<SamplerOptions>) =>
      take(10, createSampler(windows(10, more))).flatMap(documents);
    expect(ids({ shuffle: false })).toEqual(range(0, 10));
    expect(ids({ seed: 0 })).not.toEqual(ids({ seed: 1 }));
    expect(ids({ seed: 0 })).toEqual(ids({ seed: 0 }));
    expect(ids({})).toEqual(ids({ seed: 0 }));
  });

  test("A7: a tail is left over after the shuffle, so every document has its turn", () => {
    const dropping = createSampler(windows(10, { dp: 4 }));
    expect(dropping.stepsPerEpoch).toBe(2);
    const seen = new Set(take(40, dropping).flatMap(documents));
    expect(seen.size).toBe(10);
    const keeping = createSampler(windows(10, { dp: 4, dropLast: false }));
    const epoch = take(3, keeping);
    expect(epoch.flatMap(documents).sort((a, b) => a - b)).toEqual(range(0, 10));
    const last = epoch[2]!;
    expect(sum(last.weight)).toBe(2);
    for (let slot = 0; slot < 4; slot++) {
      const filler = last.weight[slot] === 0;
      expect(last.sequence[slot] === noSequence).toBe(filler);
      expect(plain(cuSeqlensOf(last, slot))).toEqual(filler ? [0] : [0, 8]);
    }
    expect(last.tokens).toBe(16);
  });

  test("A8: every rank has the same number of steps", () => {
    expect(createSampler(windows(5, { dp: 2 })).stepsPerEpoch).toBe(2);
    const keeping = createSampler(windows(5, { dp: 2, dropLast: false }));
    expect(keeping.stepsPerEpoch).toBe(3);
    expect(take(3, keeping).map((plan) => plain(plan.weight).sort())).toEqual([
      [1, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  test("A11: one plan for all: uneven loads give equal steps and fillers that count for nothing", () => {
    const sampler = createSampler({
      lengths: [7, 7, 7, 7, 7],
      window: 8,
      dp: 2,
      packing: "bestFit",
      dropLast: false,
    });
    const plans = take(sampler.stepsPerEpoch, sampler);
    expect(plans.length).toBe(3);
    expect(sum(plans.map((plan) => plan.tokens))).toBe(35);
    expect(sum(plans.map((plan) => plan.targets))).toBe(30);
    expect(sampler.state().consumedSamples).toBe(5);
  });

  test("A15: lengths that are none are named", () => {
    const wrong = (length: number) => () =>
      createSampler({ lengths: [3, length], window: 4, dp: 1 });
    for (const length of [Number.NaN, -1, 1.5, 2 ** 32]) {
      expect(wrong(length)).toThrow(
        `Expected an integer from 0 to 4294967295 for lengths[1] but received ${length}`,
      );
    }
  });

  test("A17: counters are exact beyond 32 bits and refuse to leave 53", () => {
    const options = windows(16, { dp: 16 });
    const sampler = createSampler(options);
    sampler.restore({ ...saved(sampler.state()), consumedSamples: 2147483640 });
    sampler.next();
    const state = saved(sampler.state());
    expect(state.consumedSamples).toBe(2147483656);
    const next = createSampler(options);
    next.restore(state);
    expect(next.state().consumedSamples).toBe(2147483656);
    next.restore({ ...state, consumedTokens: Number.MAX_SAFE_INTEGER });
    expect(() => next.next()).toThrow(/pass 2\^53/);
  });

  test("A18: ranks that share a sequence count as one replica and read the same ids", () => {
    const sequencesOf = (cp: number) => {
      const { dp } = createLayout({ world: 8, cp });
      const plan = createSampler(windows(64, { dp, cp })).next();
      return plain(plan.sequence);
    };
    expect(sequencesOf(8).length).toBe(1);
    expect(sequencesOf(2).length).toBe(4);
    expect(sequencesOf(1).length).toBe(8);
    expect(sequencesOf(2)).toEqual(sequencesOf(2));
  });
});

describe("D: imbalance", () => {
  test("D1: equal tokens, unequal attention, reported before and after", () => {
    expect(causalPairs(0, 1024)).toBe(524800);
    expect(2 * causalPairs(0, 512)).toBe(262656);
    const options: SamplerOptions = {
      lengths: [8, 6, 5, 4, 3, 2, 2, 2],
      window: 8,
      dp: 4,
      packing: "bestFit",
      shuffle: false,
      cost: (length) => length * length,
    };
    expect(createSampler(options).next().stepSkew).toBeCloseTo(64 / 40.5, 12);
    const pooled = createSampler({ ...options, poolSize: 2 }).next();
    // 64 + 24 against 40 + 34.
    expect(pooled.stepSkew).toBeCloseTo(88 / 81, 12);
    expect(pooled.stepSkew).toBe(pooled.bound);
  });

  test("arrival is the skew of the same step without placement", () => {
    const options: SamplerOptions = {
      lengths: lognormalLengths(2000, 9, { median: 300, clip: 2048 }),
      window: 2048,
      dp: 16,
      poolSize: 4,
    };
    const libra = createSampler(options).next();
    const arrival = createSampler({ ...options, placement: "arrival" }).next();
    expect(libra.arrivalSkew).toBe(arrival.stepSkew);
    expect(libra.stepSkew).toBeLessThan(arrival.stepSkew);
  });
});
