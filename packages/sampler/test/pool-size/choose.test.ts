import { hardwareByName, hardwareLinks } from "@libra/cost-model";
import { describe, expect, test } from "vitest";
import { choosePoolSize, expectedRandomSkew, type PoolSizeOptions } from "../../src/index.js";
import { movedShare } from "../../src/pool-size/moved-share.js";
import { lognormalLengths } from "../helpers.js";

const options: PoolSizeOptions = {
  lengths: lognormalLengths(20_000, 8, { median: 644, sigma: 1.6, clip: 2 ** 15 }),
  window: 2 ** 15,
  dp: 16,
  samples: 12,
};

describe("choosePoolSize", () => {
  test("tries every divisor and recommends the smallest that meets the target", () => {
    const { candidates, recommended, reason } = choosePoolSize(options);
    expect(candidates.map(({ poolSize }) => poolSize)).toEqual([1, 2, 4, 8, 16]);
    const chosen = candidates.find(({ poolSize }) => poolSize === recommended)!;
    expect(chosen.p95).toBeLessThanOrEqual(1.02);
    for (const candidate of candidates) {
      expect(candidate.meetsTarget).toBe(candidate.p95 <= 1.02);
      if (candidate.poolSize < recommended!) expect(candidate.meetsTarget).toBe(false);
      expect(candidate.mean).toBeGreaterThanOrEqual(candidate.bound * (1 - 1e-12));
      expect(candidate.worst).toBeGreaterThanOrEqual(candidate.p95);
    }
    expect(reason).toContain(`A pool of ${recommended} is the smallest`);
    expect(candidates.at(-1)!.mean).toBe(1);
  });

  test("says so when many micro-steps make pools needless", () => {
    const { recommended, reason } = choosePoolSize({ ...options, dp: 4, microSteps: 32 });
    expect(recommended).toBe(1);
    expect(reason).toContain("need no exchange");
  });

  test("says so when no candidate meets the target, with the bound", () => {
    const lengths = [...lognormalLengths(2000, 1, { median: 20, clip: 200 }), 2 ** 15];
    const choice = choosePoolSize({
      ...options,
      lengths,
      window: 2 ** 10,
      candidates: [1, 2],
      samples: 4,
    });
    expect(choice.recommended).toBeUndefined();
    expect(choice.reason).toMatch(/No candidate has p95 skew ≤ 1.02: a pool of 2 comes closest/);
  });

  test("is a pure function, and reports exchange and memory on request", () => {
    const exchange = {
      heads: { queryHeads: 32, kvHeads: 8, headDim: 128, valueDim: 128 },
      links: hardwareLinks(hardwareByName("h200")),
      ranksPerNode: 8,
    };
    const both = [1, 2].map(() => choosePoolSize({ ...options, cp: 8, samples: 3, exchange }));
    expect(both[0]).toEqual(both[1]);
    const [alone, pair] = both[0]!.candidates;
    expect(alone!.exchange!.interNodeSeconds).toBe(0);
    expect(pair!.exchange!.interNodeSeconds).toBeGreaterThan(0);
    expect(pair!.exchange!.memoryBytes).toBeGreaterThan(alone!.exchange!.memoryBytes);
  });

  test("works for every sync; the bubble of a pipeline is not held against it", () => {
    for (const sync of ["microStep", "pipeline"] as const) {
      const choice = choosePoolSize({
        ...options,
        sync,
        stages: sync === "pipeline" ? 4 : 1,
        microSteps: 4,
        candidates: [8],
        samples: 4,
      });
      expect(choice.candidates[0]!.mean).toBeLessThan(1.05);
    }
  });

  test("refuses a candidate that does not divide dp, and a placement that repacks", () => {
    expect(() => choosePoolSize({ ...options, candidates: [3] })).toThrow(/valid: 1, 2, 4, 8, 16/);
    expect(() => choosePoolSize({ ...options, placement: "wlb" })).toThrow(/wlb changes the step/);
  });
});

test("movedShare is what sticks out above a pool's mean", () => {
  const shape = {
    pools: 1,
    poolSize: 2,
    microSteps: 2,
    sync: "step" as const,
    stages: 1,
    backwardRatio: 2.5,
  };
  expect(movedShare(Uint32Array.of(0, 1, 2, 3), Float64Array.of(6, 2, 4, 4), shape)).toBe(2 / 16);
});

test("expectedRandomSkew is the paper's formula", () => {
  expect(expectedRandomSkew(2, 64, 8)).toBeCloseTo(1 + (2 / Math.sqrt(8)) * 2.0393, 3);
  expect(expectedRandomSkew(2, 8, 8)).toBe(1);
});
