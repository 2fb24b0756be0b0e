import { models } from "@libra/cost-model";
import { describe, expect, it } from "vitest";
import { createScenario, type ScenarioOptions } from "../../src/create-scenario.js";
import { ticksOf } from "../../src/engine/ticks.js";
import { clusterByName } from "../../src/machine/cluster.js";
import { rankMemory } from "../../src/step/memory.js";
import { parameterGroups } from "../../src/step/parameters.js";
import { exposedGather, reductionEnd, updateTicks } from "../../src/step/reduction.js";

const base: ScenarioOptions = {
  model: models["qwen3-8b"],
  cluster: clusterByName("h100-ib"),
  gpus: 64,
  cp: 8,
  window: 2 ** 18,
  recompute: "full",
};
const held = { tokens: 2 ** 15, remoteBytes: 1e9 };

describe("parameterGroups", () => {
  it("counts every parameter once over tensor ranks, stages and expert groups", () => {
    const dense = parameterGroups(createScenario({ ...base, tp: 2, cp: 4, pp: 2 }));
    expect(dense).toHaveLength(1);
    expect(dense[0]!.count * 4).toBeCloseTo(8.19e9, -7);
    expect(dense[0]!.group.ranks).toBe(16);
    const scenario = createScenario({
      ...base,
      model: models["qwen3-30b-a3b"],
      expertParallel: 8,
    });
    const [shared, experts] = parameterGroups(scenario);
    expect((shared!.count + 8 * experts!.count) / 1e9).toBeCloseTo(30.5, 1);
    expect([shared!.group.ranks, experts!.group.ranks]).toEqual([64, 8]);
  });
});

describe("rankMemory", () => {
  const memory = (options: Partial<ScenarioOptions>) =>
    rankMemory(createScenario({ ...base, ...options }), held);

  it("shrinks as more is sharded, and with recomputation", () => {
    const states = (["none", "zero1", "zero2", "zero3"] as const).map(
      (sharding) => memory({ sharding }).state,
    );
    for (let i = 1; i < states.length; i++) expect(states[i]).toBeLessThan(states[i - 1]!);
    expect(states[0]! / 8.19e9).toBeCloseTo(18, 0);
    expect(memory({ recompute: "full" }).activations).toBeLessThan(
      memory({ recompute: "none" }).activations / 5,
    );
  });

  it("adds up, and says what fits", () => {
    const report = memory({});
    const { state, activations, remote, logits, total } = report;
    expect(total).toBe(state + activations + remote + logits);
    expect(remote).toBe(1e9);
    expect(report.fits).toBe(true);
    expect(memory({ recompute: "none" }).fits).toBe(false);
  });

  it("holds more micro-steps in a longer pipeline", () => {
    const perStage = (pp: number) =>
      memory({ pp, cp: 4, globalBatch: 64, recompute: "none" }).activations * pp;
    expect(perStage(4) / perStage(1)).toBeCloseTo(4, 6);
  });

  it("decides recomputation when left to", () => {
    expect(createScenario({ ...base, recompute: "auto" }).recompute).toBe("full");
    expect(createScenario({ ...base, recompute: "auto", window: 2 ** 14 }).recompute).toBe("none");
  });
});

describe("reduction", () => {
  const scenario = createScenario(base);
  const pass = { layersBackward: Float64Array.of(3600) } as never;
  const span = { stage: 0, part: 0, forward: false, pool: 0, start: 1000, end: 4600 };
  const end = (reduce: number) => reductionEnd(scenario, [pass], [span], reduce);

  it("ends one layer's reduction after the last backward when backward hides the rest", () => {
    expect(end(36)).toBe(4600 + 1);
    expect(end(3600)).toBe(4600 + 100);
  });

  it("ends after all reductions since the first layer's when links are the bottleneck", () => {
    expect(end(36_000)).toBe(1000 + 100 + 36_000);
  });

  it("follows backward when nothing overlaps", () => {
    const apart = createScenario({ ...base, overlapReduction: false });
    expect(reductionEnd(apart, [pass], [span], 36)).toBe(4636);
    expect(exposedGather(apart, 50, 1000)).toBe(50);
    expect(exposedGather(scenario, 36, 1000)).toBe(1);
    expect(exposedGather(scenario, 3600, 1000)).toBe(2600);
  });

  it("moves gradients in float32 and parameters in bf16 over all cards of the node", () => {
    const { reduce, gather, optimizer } = updateTicks(scenario);
    const { count } = parameterGroups(scenario)[0]!;
    expect(reduce).toBe(ticksOf((4 * count * 63) / 64 / 380e9 + 6 * 5e-6));
    expect(gather).toBe(ticksOf((2 * count * 63) / 64 / 380e9 + 6 * 5e-6));
    expect(optimizer).toBeGreaterThan(0);
    const whole = updateTicks(createScenario({ ...base, sharding: "none" }));
    expect(whole.reduce / reduce).toBeCloseTo(2, 9);
    expect(whole.gather).toBe(0);
    expect(updateTicks(createScenario({ ...base, sharding: "zero3" })).reduce).toBe(0);
  });
});
