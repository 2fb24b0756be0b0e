import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NamedArray } from "../../src/files/safetensors-read.js";
import { writeSafetensors } from "../../src/files/safetensors-write.js";
import { readModelConfig } from "../../src/model/hugging-face-config.js";
import { loadModel, saveModel } from "../../src/model/hugging-face-folder.js";
import { parameterCount, parameterShapes } from "../../src/model/parameter-shapes.js";
import { fixtureFolder, readFixture } from "../support/fixture.js";
import { temporaryFolder } from "../support/folder.js";

const fixture = readFixture("qwen3-untied");

/** The fixture's config.json with other values; undefined removes a key. */
function configWith(changes: Record<string, unknown>): string {
  const path = join(temporaryFolder(), "config.json");
  const original = JSON.parse(readFileSync(`${fixture.folder}/config.json`, "utf8"));
  writeFileSync(path, JSON.stringify({ ...original, ...changes }));
  return path;
}

function namedArrays(): Map<string, NamedArray> {
  return new Map(
    parameterShapes(fixture.sizes).map(({ name, shape }) => [
      name,
      { shape, data: fixture.weights.get(name)! },
    ]),
  );
}

describe("config.json", () => {
  it("is read as transformers 5 writes it, and as older versions did", () => {
    const sizes = readModelConfig(configWith({}));
    expect(sizes).toMatchObject({
      hidden: 48,
      queryHeads: 4,
      kvHeads: 2,
      headDim: 16,
      ropeTheta: 1e6,
    });
    const old = configWith({ rope_parameters: undefined, rope_theta: 5e5, torch_dtype: "float32" });
    expect(readModelConfig(old).ropeTheta).toBe(5e5);
  });

  it.each([
    [{ use_sliding_window: true }, /does not implement use_sliding_window: true/],
    [{ attention_bias: true }, /attention_bias: true/],
    [{ attention_dropout: 0.1 }, /attention_dropout: 0.1/],
    [{ hidden_act: "gelu" }, /hidden_act: gelu/],
    [
      { rope_parameters: { rope_theta: 1e6, rope_type: "yarn" } },
      /rope_parameters.rope_type: yarn/,
    ],
    [{ rope_scaling: { type: "yarn" } }, /rope_scaling/],
  ])("refuses what would be computed wrongly: %j (case B3)", (changes, message) => {
    const read = () => readModelConfig(configWith(changes));
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: "UNSUPPORTED" }));
  });

  it.each([
    [{ model_type: "llama" }, /model_type/],
    [{ hidden_size: undefined }, /hidden_size/],
    [{ num_key_value_heads: 3 }, /4 query heads are not a multiple of 3 KV heads/],
    [{ rope_parameters: undefined }, /rope_parameters.rope_theta or rope_theta is missing/],
  ])("names what is wrong: %j", (changes, message) => {
    expect(() => readModelConfig(configWith(changes))).toThrow(message);
  });
});

describe("a model's folder", () => {
  it.each(["qwen3-untied", "qwen3-tied"])("%s comes back as it was saved", (name) => {
    const folder = temporaryFolder();
    const { sizes, values } = loadModel(fixtureFolder(name));
    const shapes = new Map(parameterShapes(sizes).map((entry) => [entry.name, entry.shape]));
    const arrays = [...values].map(
      ([key, data]) => [key, { shape: shapes.get(key)!, data }] as const,
    );
    saveModel(folder, sizes, 256, new Map(arrays));
    expect(loadModel(folder)).toEqual({ sizes, values });
    const count = [...values.values()].reduce((sum, { length }) => sum + length, 0);
    expect(parameterCount(sizes)).toBe(count);
  });

  it("without a tensor, with a strange one or a wrong shape is refused by name", () => {
    const folder = temporaryFolder();
    cpSync(`${fixture.folder}/config.json`, join(folder, "config.json"));
    const save = (change: (arrays: Map<string, NamedArray>) => void) => {
      const arrays = namedArrays();
      change(arrays);
      writeSafetensors(join(folder, "model.safetensors"), arrays);
      return () => loadModel(folder);
    };
    const name = "model.layers.1.mlp.up_proj.weight";
    expect(save((arrays) => arrays.delete(name))).toThrow(
      new RegExp(`model.safetensors .*tensor ${name} is missing`),
    );
    expect(save((arrays) => arrays.set("extra", arrays.get(name)!))).toThrow(
      /holds tensors that a Qwen3 model of these sizes has not: extra/,
    );
    expect(
      save((arrays) => arrays.set(name, { shape: [48, 80], data: arrays.get(name)!.data })),
    ).toThrow(/up_proj.weight has shape \[48, 80\], the model needs \[80, 48\]/);
  });
});
