import { describe, expect, it } from "vitest";
import { createScenario } from "../../src/create-scenario.js";
import { clusterByName } from "../../src/machine/cluster.js";
import { simulate } from "../../src/simulate.js";
import {
  candidateSettings,
  createStrategy,
  requireStrategy,
} from "../../src/strategies/by-name.js";
import { strategyNames } from "../../src/strategies/strategy.js";
import { longTail, tinyModel } from "../support/scenarios.js";

const cluster = { ...clusterByName("h100-ib"), ranksPerNode: 4 };
const lengths = longTail(20_000, 7, 200, 1.6);
const base = {
  model: tinyModel,
  cluster,
  gpus: 16,
  cp: 2,
  window: 4096,
  globalBatch: 16,
  lengths,
};

describe("strategies", () => {
  it("all run at every candidate setting, twice the same", () => {
    const scenario = createScenario(base);
    for (const strategy of strategyNames) {
      for (const settings of candidateSettings(strategy, scenario)) {
        const options = { ...base, strategy, settings, steps: 1 };
        const simulation = simulate(options);
        expect(simulation.seconds).toBeGreaterThan(0);
        expect(simulation.utilisation).toBeLessThan(0.7);
        expect(simulation.settings).toMatchObject(settings);
        expect(JSON.stringify(simulate(options))).toBe(JSON.stringify(simulation));
      }
    }
  });

  it("work on the same documents unless they say that they change the step", () => {
    const scenario = createScenario(base);
    const corpus = { lengths, overlong: "split" as const };
    const pairs = strategyNames.map((name) => {
      const strategy = createStrategy(name, scenario, corpus);
      return { name, changesStep: strategy.changesStep, pairs: strategy.next().pairs };
    });
    const [plain] = pairs;
    for (const { name, changesStep, pairs: count } of pairs) {
      expect(changesStep).toBe(name === "wlb");
      if (!changesStep) expect(count).toBe(plain!.pairs);
    }
  });

  it("meet few ranks in a pool, and ever more when all replicas are one pool", () => {
    const peers = (strategy: "libra" | "distca", gpus: number) =>
      simulate({ ...base, gpus, globalBatch: gpus / 2, strategy, steps: 1 }).mostPeers;
    expect(peers("distca", 64)).toBeGreaterThan(peers("distca", 16));
    for (const gpus of [16, 64]) expect(peers("libra", gpus)).toBeLessThanOrEqual(15);
  });

  it("are balanced by Libra, and by neither packing nor per-document sharding", () => {
    const skew = (strategy: "ulysses" | "perDocument" | "libra") =>
      simulate({ ...base, strategy, steps: 2 }).workerSkew;
    expect(skew("libra")).toBeLessThan(1.1);
    expect(skew("ulysses")).toBeGreaterThan(1.5);
    expect(skew("perDocument")).toBeGreaterThan(1.5);
  });

  it("refuse unknown names and settings with the nearest, and pools that do not divide dp", () => {
    expect(() => requireStrategy("ulises")).toThrow(/did you mean ulysses/);
    const settings = (strategy: (typeof strategyNames)[number], value: object) => () =>
      simulate({ ...base, strategy, settings: value as Record<string, number> });
    expect(settings("libra", { pol: 2 })).toThrow(/no setting pol; did you mean pool/);
    expect(settings("libra", { pool: 3 })).toThrow(
      /pool 3 does not divide dp 8; valid: 1, 2, 4, 8/,
    );
    expect(settings("ulysses", { tolerance: 0.1 })).toThrow(/ulysses has no setting tolerance/);
    expect(settings("distca", { pingPong: 1 })).toThrow(/true or false for pingPong/);
    expect(() => simulate({ ...base, pp: 2, strategy: "hybridCp" })).toThrow(/pp must be 1/);
  });

  it("refuse impossible layouts with the equation and the valid values", () => {
    const layout = (value: object) => () => simulate({ ...base, strategy: "ulysses", ...value });
    expect(layout({ cp: 3 })).toThrow(/cp 3.*does not divide the world of 16/);
    expect(layout({ globalBatch: 12 })).toThrow(
      /globalBatch 12 is not a multiple of dp 8; valid: 8, 16/,
    );
    expect(layout({ tp: 16, cp: 1 })).toThrow(
      /tp 16 does not divide the 8 query heads; valid: 1, 2, 4, 8/,
    );
    expect(layout({ pp: 8, cp: 1 })).toThrow(/pp × parts 8 does not divide the 4 layers/);
    expect(layout({ expertParallel: 2 })).toThrow(/experts/);
    expect(layout({ parts: 2 })).toThrow(/parts above 1 need a pipeline/);
  });

  it("refuse documents beyond the window when asked to, and an empty corpus", () => {
    expect(() => simulate({ ...base, strategy: "ulysses", overlong: "error" })).toThrow(
      /window|cap/,
    );
    expect(() => simulate({ ...base, strategy: "ulysses", lengths: [] })).toThrow(/no documents/);
    expect(() => simulate({ ...base, strategy: "ulysses", lengths: [3, -1] })).toThrow(/1/);
  });
});
