import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { checkConfig } from "../../src/config/load-config.js";
import { poolSizeOf } from "../../src/config/pool-size.js";
import { qwen3Tokenizer } from "../../src/data/tokenizer-files.js";
import { prepareRun } from "../../src/train/prepare.js";
import { fixtureFolder } from "../support/fixture.js";
import { temporaryFolder } from "../support/folder.js";

const letters = "abcdefghijklmnopqrstuvwxyz";
const text = Array.from(
  { length: 26 * 26 },
  (_, i) => letters[i % 26]! + letters[Math.floor(i / 26)]!,
).join(" ");

function prepare(data: Record<string, unknown>, model: Record<string, unknown> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, "a.txt");
  writeFileSync(path, text);
  const config = checkConfig(
    {
      output: folder,
      model: {
        layers: 1,
        hidden: 8,
        queryHeads: 1,
        kvHeads: 1,
        headDim: 8,
        intermediate: 8,
        ...model,
      },
      data: { corpus: "text", paths: [path], lengthScale: 1, ...data },
    },
    "test",
  );
  return prepareRun(config, { line: () => {}, progress: () => {} });
}

describe("a run is prepared", { timeout: 60_000 }, () => {
  it("with ids that occur, and a model as wide", async () => {
    const { sizes, documents } = await prepare({ vocabularySize: 50 });
    expect(sizes.vocabulary).toBe(50);
    expect(Math.max(...documents.ids)).toBe(49);
  });

  it("with the tokenizer's own ids when asked", async () => {
    const { sizes, documents } = await prepare({ ids: "tokenizer", vocabularySize: 2 });
    expect(sizes.vocabulary).toBe(151_936);
    const { tokenizerPath, tokenizerConfigPath } = qwen3Tokenizer();
    const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
    const tokenizer = new Tokenizer(json(tokenizerPath), json(tokenizerConfigPath));
    expect([...documents.ids]).toEqual(tokenizer.encode(text).ids);
  });

  it("with a saved model only when the ids fit", async () => {
    const path = fixtureFolder("qwen3-tied");
    const { sizes } = await prepare({ vocabularySize: 64 }, { path });
    expect(sizes.layers).toBe(2);
    await expect(prepare({ vocabularySize: 65 }, { path })).rejects.toThrow(
      /The corpus has 65 ids but the model in .*qwen3-tied 64; lower data.vocabularySize/,
    );
    await expect(prepare({ ids: "tokenizer" }, { path })).rejects.toThrow(
      /The corpus has id \d+ but the model in .*qwen3-tied only 64 ids; set data.ids to remap/,
    );
  });
});

it("pools have eight replicas at most unless configured", () => {
  const size = (dp: number, batch = {}) =>
    poolSizeOf(checkConfig({ layout: { dp }, batch }, "test"));
  expect([1, 2, 6, 12, 13, 64].map((dp) => size(dp))).toEqual([1, 2, 6, 6, 1, 8]);
  expect(size(12, { poolSize: 12 })).toBe(12);
});
