import { describe, expect, it } from "vitest";
import {
  activationBytesPerToken,
  attentionFlops,
  breakEvenLength,
  causalPairs,
  linearFlops,
  linearFlopsPerToken,
  linearTime,
  modelByName,
  models,
  parameterCount,
  rankBytes,
  residentBytes,
} from "../src/index.js";

const thousands = (tokens: number) => `${(tokens / 1000).toFixed(1)}K`;

describe("breakEvenLength", () => {
  it("prints 47.1K, 13.8K and 27.1K for the presets", () => {
    expect(Object.values(models).map((model) => thousands(breakEvenLength(model)))).toEqual([
      "47.1K",
      "13.8K",
      "27.1K",
    ]);
  });

  it.each(Object.values(models))(
    "is where attention meets the layers' operators: $name",
    (model) => {
      const excess = (length: number) => {
        const attention =
          model.layers *
          model.queryHeads *
          attentionFlops("forward", model, causalPairs(0, length));
        const { projections, feedForward } = linearFlopsPerToken(model);
        return attention - length * (projections + feedForward);
      };
      expect(excess(breakEvenLength(model) - 1)).toBeLessThan(0);
      expect(excess(breakEvenLength(model) + 1)).toBeGreaterThan(0);
    },
  );
});

describe("linear operators", () => {
  it("count active experts only", () => {
    const moe = models["qwen3-30b-a3b"];
    const allExperts = { ...moe, activeExperts: moe.experts };
    expect(linearFlopsPerToken(allExperts).feedForward).toBe(
      16 * linearFlopsPerToken(moe).feedForward,
    );
    expect(linearFlopsPerToken(models["qwen3-8b"]).router).toBe(0);
  });

  it("take twice as long backward", () => {
    const model = models["qwen3-8b"];
    const flops = linearFlops("forward", model, 1000);
    expect(flops).toBe(1000 * linearFlopsPerToken(model).total);
    expect(linearTime("forward", model, 1000, 5e14)).toBe(flops / 5e14);
    expect(linearTime("backward", model, 1000, 5e14)).toBe((2 * flops) / 5e14);
    expect(() => linearTime("forward", model, 1, 0)).toThrow("rate");
  });

  it("are two FLOPs a parameter that a token meets", () => {
    const model = models["qwen3-8b"];
    const norms = model.layers * (2 * model.headDim + 2 * model.hidden) + model.hidden;
    const embedding = model.vocab * model.hidden;
    expect(linearFlopsPerToken(model).total).toBe(2 * (parameterCount(model) - norms - embedding));
  });
});

describe("memory", () => {
  it("knows the models' published sizes", () => {
    const billions = Object.values(models).map((model) => parameterCount(model) / 1e9);
    expect(billions.map((count) => count.toFixed(1))).toEqual(["8.2", "30.5", "235.1"]);
  });

  it("adds tokens × bytes and resident remote vectors", () => {
    const heads = { headDim: 128, valueDim: 64 };
    expect(residentBytes(heads, { remoteQueries: 10, remoteKeys: 5 }, 2)).toBe(15 * 192 * 2);
    expect(rankBytes(100, 7, heads, { remoteQueries: 0, remoteKeys: 1 }, 2)).toBe(700 + 384);
  });

  it("counts activations by layer", () => {
    const model = { ...models["qwen3-8b"], layers: 1 };
    const whole = activationBytesPerToken(models["qwen3-8b"], 2);
    expect(whole).toBe(36 * activationBytesPerToken(model, 2));
    expect(activationBytesPerToken(model, 2)).toBe(
      2 * (4 * 4096 + 2 * 40 * 128 + 40 * 128 + 3 * 12288),
    );
  });
});

describe("modelByName", () => {
  it("lists the names", () => {
    expect(modelByName("qwen3-8b").kvHeads).toBe(8);
    expect(() => modelByName("qwen3-8B")).toThrow(
      'Expected one of qwen3-8b, qwen3-30b-a3b, qwen3-235b-a22b for model but received "qwen3-8B"; did you mean qwen3-8b',
    );
  });
});
