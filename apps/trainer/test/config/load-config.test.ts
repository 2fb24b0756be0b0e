import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkConfig, loadConfig } from "../../src/config/load-config.js";
import { temporaryFolder } from "../support/folder.js";

function fromYaml(text: string, settings: string[] = []) {
  const path = join(temporaryFolder(), "train.yaml");
  writeFileSync(path, text);
  return loadConfig(path, settings);
}

describe("the configuration", () => {
  it("has defaults that work", () => {
    const config = loadConfig(undefined);
    expect(config.data.packages).toEqual(["zod", "vitest", "vite", "typescript"]);
    expect(config.data.lengthScale).toBe(1 / 8);
    expect(config.data.maxDocumentTokens).toBe(65_536);
    expect(config.strategy.planner).toBe("libra");
    expect(fromYaml("")).toEqual(config);
  });

  it("takes a file and settings on top", () => {
    const config = fromYaml("steps: 7\noptimizer:\n  learningRate: 1e-4\n", [
      "steps=9",
      "batch.window=64",
      "name=try",
    ]);
    expect(config.steps).toBe(9);
    expect(config.optimizer.learningRate).toBe(1e-4);
    expect(config.batch.window).toBe(64);
    expect(config.name).toBe("try");
  });
});

describe("a wrong configuration names path, value and what is valid", () => {
  it.each([
    ["stepz: 3", /stepz: no such key; did you mean steps\? Valid keys: name, output, seed, steps/],
    [
      "model: { hiden: 3 }",
      /model.hiden: no such key; did you mean hidden\? Valid keys: path, layers/,
    ],
    ["batch: { window: 1 }", /batch.window: Expected a number of at least 2 but received 1/],
    ["batch: { window: 64.5 }", /batch.window: Expected an integer but received 64.5/],
    ["steps: many", /steps: Expected a number but received "many"/],
    [
      "strategy: { planner: rings }",
      /strategy.planner: Expected one of ulysses, allGather, zigzag, perDocument, ring, .*libra but received "rings"/,
    ],
    [
      "strategy: { tolerance: 2 }",
      /strategy.tolerance: Expected a number from 0 to 1, or auto but received 2/,
    ],
    [
      "strategy: { planner: ring, tolerance: auto }",
      /strategy.tolerance: Expected a number from 0 to 1 for the planner "ring" .*only libra predicts/,
    ],
    ["strategy: { scope: world }", /strategy.scope: Expected pool for the planner "libra"/],
    ["strategy: { hops: 3 }", /strategy.hops: Expected one of 1, 2 but received 3/],
    ["layout: { tp: 2 }", /layout.tp: Expected 1 but received 2/],
    ["data: { lengthScale: 0 }", /data.lengthScale: Expected a number above 0 but received 0/],
    ["data: { lengthScale: 2 }", /data.lengthScale: Expected a number of at most 1 but received 2/],
    [
      "data: { packages: [] }",
      /data.packages: Expected a list with a length of at least 1 but received \[\]/,
    ],
    ["model: 4", /model: Expected an object but received 4/],
    [
      "name: a/b",
      /name: Expected letters, digits, dots, dashes or underscores, and not \. or \.\. but received "a\/b"/,
    ],
    ["name: ..", /name: Expected letters, .* and not \. or \.\. but received "\.\."/],
    ["optimizer: { learningRate: .nan }", /learningRate: Expected a number but received NaN/],
    ["layout: { dp: 64, cp: 32 }", /layout: Expected dp × cp of at most 1024, .*received 64 × 32/],
    ["batch: { window: 1e15 }", /batch.window: Expected a number of at most 2147483647/],
    [
      "batch: { microSteps: 1000000 }",
      /batch.microSteps: Expected a number of at most 4096 but received 1000000/,
    ],
    ["- 1", /Expected keys and values/],
    ["a: [", /Cannot read .*train.yaml/],
    [
      "model: { queryHeads: 6, kvHeads: 4 }",
      /6 query heads are not a multiple of 4 KV heads; KV heads that fit: 1, 2, 3, 6/,
    ],
    ["model: { headDim: 7 }", /head dim must be even but is 7/],
    [
      "layout: { dp: 6 }\nbatch: { poolSize: 4 }",
      /batch.poolSize: Expected one of 1, 2, 3, 6 \(divisors of dp 6\) but received 4/,
    ],
    ["data: { corpus: text }", /data.paths: Expected at least one file or folder/],
  ])("%s", (text, message) => {
    expect(() => fromYaml(text)).toThrow(message);
    expect(() => fromYaml(text)).toThrow(expect.objectContaining({ code: "CONFIGURATION" }));
  });

  it("reports all problems at once", () => {
    const wrong = { steps: 0, seed: -1, batch: { windou: 3 } };
    expect(() => checkConfig(wrong, "here")).toThrow(/seed: .*\nsteps: .*\nbatch.windou: /);
    expect(() => checkConfig({ dtype: "bf16" }, "here")).toThrow(
      /^Wrong configuration in here: dtype: Expected one of float32, bfloat16 but received "bf16"$/,
    );
  });

  it("names a missing file and a setting without a value", () => {
    expect(() => loadConfig("/nowhere.yaml")).toThrow(/Cannot read \/nowhere.yaml/);
    expect(() => loadConfig(undefined, ["steps"])).toThrow(/Expected path=value for --set/);
    expect(() => loadConfig(undefined, ["steps=1", "steps.a=1"])).toThrow(/steps holds a value/);
  });
});
