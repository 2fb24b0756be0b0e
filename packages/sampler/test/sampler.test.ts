import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createSampler,
  cuSeqlensOf,
  noSequence,
  planHash,
  type SamplerOptions,
  type StepPlan,
} from "../src/index.js";
import { anyLengths, lognormalLengths, plain, sum } from "./helpers.js";

const lengths = lognormalLengths(4000, 3, { median: 200, sigma: 1.2, clip: 4000 });
const base: SamplerOptions = { lengths, window: 1024, dp: 8, microSteps: 2, poolSize: 4 };

const take = (count: number, sampler: { next(): StepPlan }) =>
  Array.from({ length: count }, () => sampler.next());

describe("createSampler", () => {
  test("plans with the contract's columns", () => {
    const plan = createSampler(base).next();
    expect(plan).toMatchObject({ epoch: 0, step: 0, window: 1024, dp: 8, poolSize: 4 });
    expect(plan.sequence.length).toBe(16);
    expect(plain(plan.sequence.slice().sort())).toEqual(Array.from({ length: 16 }, (_, i) => i));
    expect(plan.tokens).toBe(16 * 1024);
    expect(plan.targets).toBe(plan.tokens - plan.segmentLength.length);
    expect(plan.stepSkew).toBeLessThan(plan.arrivalSkew);
    expect(plan.stepSkew).toBeGreaterThanOrEqual(plan.bound);
    for (let slot = 0; slot < 16; slot++) {
      const borders = cuSeqlensOf(plan, slot);
      expect(borders.at(-1)).toBe(1024);
      const pairs = plain(borders.subarray(1)).map((end, i) => {
        const length = end - borders[i]!;
        return (length * (length + 1)) / 2;
      });
      expect(plan.workload[slot]).toBe(sum(pairs));
    }
    expect(Object.isFrozen(plan)).toBe(true);
  });

  test("plan is pure: any order of calls, any sampler, equal hashes", () => {
    const sampler = createSampler(base);
    const steps = sampler.stepsPerEpoch;
    const sequential = take(steps + 3, sampler).map(planHash);
    const fresh = createSampler({ ...base, lengths: Array.from(lengths) });
    for (const i of [steps + 2, 5, 0, steps - 1, steps, 1]) {
      expect(planHash(fresh.plan(Math.floor(i / steps), i % steps))).toBe(sequential[i]);
    }
    expect(new Set(sequential).size).toBe(sequential.length);
  });

  test("the hash of a plan is the same in any process and on any machine", () => {
    const spread = Uint32Array.from({ length: 3000 }, (_, i) => 1 + ((i * 7919) % 900));
    const sampler = createSampler({ ...base, lengths: spread, placement: "snake", seed: 5 });
    expect(planHash(sampler.plan(1, 3))).toBe("dec0546dc86061e7");
  });

  test("the placement keeps the step's set of sequences", () => {
    const libra = createSampler(base);
    const arrival = createSampler({ ...base, placement: "arrival" });
    for (let i = 0; i < 5; i++) {
      const a = libra.next();
      const b = arrival.next();
      expect(a.sequence.slice().sort()).toEqual(b.sequence.slice().sort());
      expect(b.stepSkew).toBe(b.arrivalSkew);
      expect(a.arrivalSkew).toBe(b.arrivalSkew);
      expect(a.bound).toBe(b.bound);
    }
  });

  test("a function of length can be the cost", () => {
    const plan = createSampler({ ...base, cost: (length) => length }).next();
    expect(plain(plan.workload)).toEqual(new Array(16).fill(1024));
    expect(plan.poolSkew).toBe(1);
  });

  test("restore at any step equals the uninterrupted run", () => {
    fc.assert(
      fc.property(
        anyLengths,
        fc.integer({ min: 2, max: 40 }),
        fc.constantFrom([1, 1, 1], [2, 1, 2], [4, 2, 1], [3, 3, 2]),
        fc.nat(6),
        fc.boolean(),
        (someLengths, window, [dp, poolSize, microSteps], steps, shuffle) => {
          const options: SamplerOptions = {
            lengths: someLengths,
            window,
            dp: dp!,
            poolSize: poolSize!,
            microSteps: microSteps!,
            shuffle,
            dropLast: false,
          };
          const whole = createSampler(options);
          const hashes = take(steps + 4, whole).map(planHash);
          const first = createSampler(options);
          take(steps, first);
          const second = createSampler(options);
          second.restore(JSON.parse(JSON.stringify(first.state())));
          expect(take(4, second).map(planHash)).toEqual(hashes.slice(steps));
          expect(second.state()).toEqual(whole.state());
        },
      ),
    );
  });

  test("restore with other dp, cp, poolSize, microSteps and placement consumes each sequence once", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            dp: fc.constantFrom(2, 4, 6),
            cp: fc.constantFrom(1, 2, 4),
            poolSize: fc.constantFrom(1, 2),
            microSteps: fc.integer({ min: 1, max: 3 }),
            placement: fc.constantFrom("libra" as const, "arrival" as const),
            steps: fc.integer({ min: 1, max: 3 }),
          }),
          { minLength: 2, maxLength: 5 },
        ),
        (runs) => {
          const common = { lengths: lengths.subarray(0, 300), window: 512, dropLast: false };
          let state: ReturnType<ReturnType<typeof createSampler>["state"]> | undefined;
          const seen: number[][] = [];
          for (const { steps, ...shape } of runs) {
            const sampler = createSampler({ ...common, ...shape });
            if (state) sampler.restore(state);
            for (const plan of take(steps, sampler)) {
              seen[plan.epoch] ??= [];
              seen[plan.epoch]!.push(...plan.sequence.filter((s) => s !== noSequence));
            }
            state = JSON.parse(JSON.stringify(sampler.state()));
          }
          for (const sequences of seen) {
            const sorted = sequences.sort((a, b) => a - b);
            expect(sorted).toEqual(Array.from({ length: sorted.length }, (_, i) => i));
          }
          expect(state!.consumedSamples).toBe(seen.flat().length);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("names what a foreign state differs in", () => {
    const state = createSampler(base).state();
    const other = createSampler({ ...base, window: 512, seed: 4 });
    expect(() => other.restore(state)).toThrow(
      /another corpus or configuration: window is 512 but was 1024; seed is 4 but was 0/,
    );
    const shorter = createSampler({ ...base, lengths: lengths.subarray(1) });
    expect(() => shorter.restore(state)).toThrow(/lengths is .* but was .*; documents is 3999/);
    expect(() => createSampler(base).restore({ ...state, version: 9 })).toThrow(
      "Expected version 1 of the sampler state but received 9",
    );
    expect(() => createSampler(base).restore({ ...state, cursor: -1 })).toThrow(
      "Damaged sampler state: Expected a non-negative integer for cursor but received -1",
    );
    expect(() => createSampler(base).restore({ ...state, consumedSamples: 2 ** 53 })).toThrow(
      /consumedSamples/,
    );
  });

  test("refuses wrong options with their names and valid values", () => {
    const wrong = (options: Partial<SamplerOptions>) => () =>
      createSampler({ ...base, ...options });
    expect(wrong({ poolSize: 3 })).toThrow(
      "Expected a divisor of dp (8) for poolSize but received 3; valid: 1, 2, 4, 8",
    );
    expect(wrong({ window: 1 })).toThrow(/for window but received 1/);
    expect(wrong({ dp: 0 })).toThrow("Expected a positive integer for dp but received 0");
    expect(wrong({ placement: "librra" as "libra" })).toThrow(/did you mean libra/);
    expect(wrong({ sync: "pipeline" })).toThrow(/for stages but received 1/);
    expect(wrong({ alignment: 3 })).toThrow(
      "Expected a divisor of the window (1024) for alignment but received 3",
    );
    expect(wrong({ seed: 1.5 })).toThrow(/for seed but received 1.5/);
    expect(wrong({ dp: 4096 })).toThrow(/takes 8192 packed sequences .* but the corpus fills \d+;/);
    expect(wrong({ cost: () => Number.NaN })).not.toThrow();
    expect(() => createSampler({ ...base, cost: () => Number.NaN }).next()).toThrow(/the cost of/);
    expect(() => createSampler(base).plan(0, 10 ** 6)).toThrow(/a step below \d+ of epoch 0/);
  });
});
