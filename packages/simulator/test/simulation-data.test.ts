import { describe, expect, it } from "vitest";
import { gainByWindow } from "../src/gain-by-window.js";
import { clusterByName } from "../src/machine/cluster.js";
import { simulate } from "../src/simulate.js";
import { simulationData } from "../src/simulation-data.js";
import { standInLengths } from "../src/stand-in.js";
import { tinyModel } from "./support/scenarios.js";

const base = {
  model: tinyModel,
  cluster: { ...clusterByName("h100-ib"), ranksPerNode: 4 },
  gpus: 8,
  cp: 2,
  window: 8192,
  globalBatch: 8,
  lengths: standInLengths({ documents: 20_000 }),
  steps: 2,
};

describe("simulationData", () => {
  it("survives JSON, and its spans and busy times are those of the step", () => {
    const simulation = simulate({ ...base, pp: 2, strategy: "libra" });
    const data = JSON.parse(JSON.stringify(simulationData(simulation)));
    expect(data).toMatchObject({ version: 1, strategy: "libra", microSteps: 4 });
    for (const step of data.steps) {
      expect(Math.max(...step.spans.map((span: { end: number }) => span.end))).toBe(
        step.backwardEnd,
      );
      expect(step.seconds).toBeGreaterThanOrEqual(step.backwardEnd);
      expect(step.busy.attention).toHaveLength(8);
      const pools = new Set(step.spans.map((span: { pool: number }) => span.pool));
      expect(pools.size).toBe(step.pools.length);
      for (const { positions, slowest } of step.pools) expect(positions).toContain(slowest);
    }
  });
});

describe("standInLengths", () => {
  it("has the median, the tail and the cap that it says, and is the same for the same seed", () => {
    const lengths = standInLengths({ documents: 100_000, seed: 1 });
    const sorted = Uint32Array.from(lengths).sort();
    expect(sorted[50_000]! / 644).toBeCloseTo(1, 1);
    expect(sorted[99_000]! / 71_000).toBeGreaterThan(0.9);
    expect(sorted[99_000]! / 71_000).toBeLessThan(1.1);
    expect(sorted.at(-1)).toBeLessThanOrEqual(2 ** 20);
    expect(sorted[0]).toBeGreaterThanOrEqual(1);
    expect(standInLengths({ documents: 100, seed: 1 })).toEqual(lengths.slice(0, 100));
    expect(standInLengths({ documents: 100, seed: 2 })).not.toEqual(lengths.slice(0, 100));
  });
});

describe("gainByWindow", () => {
  it("keeps the tokens of a rank and of a step, and ends where windows get too short", () => {
    const gains = gainByWindow({ ...base, steps: 1 });
    expect(gains.map(({ window, cp, dp }) => [window, cp, dp])).toEqual([
      [8192, 2, 4],
      [2048, 1, 8],
    ]);
    for (const { plain, libra, overPlain } of gains) {
      expect(plain.window * plain.microSteps * plain.layout.dp).toBe(65536);
      expect(overPlain).toBe(libra.utilisation / plain.utilisation);
    }
  });

  it("leaves out pools that do not divide a window's dp", () => {
    const candidates = { pools: [3, 8], chunks: [4] };
    const gains = gainByWindow({ ...base, steps: 1, candidates });
    expect(gains.map(({ dp }) => dp)).toEqual([4, 8]);
    expect(gains[1]!.libra.settings.pool).toBe(8);
  });
});
