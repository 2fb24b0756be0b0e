import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { checkConfig } from "../../src/config/load-config.js";
import { loadCorpus } from "../../src/data/load-corpus.js";
import { qwen3Tokenizer } from "../../src/data/tokenizer-files.js";
import { temporaryFolder } from "../support/folder.js";

async function load(
  texts: string[],
  data: Record<string, unknown> = {},
  folder = temporaryFolder(),
) {
  const path = join(folder, "corpus.jsonl");
  writeFileSync(path, texts.map((text) => JSON.stringify({ text })).join("\n"));
  const config = checkConfig({ data: { corpus: "jsonl", paths: [path], ...data } }, "test");
  const lines: string[] = [];
  const done: number[] = [];
  const corpus = await loadCorpus(config.data, join(folder, "cache"), {
    line: (text) => lines.push(text),
    progress: (count) => done.push(count),
  });
  return { corpus, lines, done, folder };
}

const { tokenizerPath, tokenizerConfigPath, sha256 } = qwen3Tokenizer();
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const tokenizer = new Tokenizer(json(tokenizerPath), json(tokenizerConfigPath));

describe("a corpus is tokenised", { timeout: 60_000 }, () => {
  it("with Qwen3's tokenizer", () => {
    expect(sha256).toBe("aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4");
  });

  it("in a worker, in pieces that change nothing, and renumbered to the ids that occur", async () => {
    // Longer than two pieces, with line ends before white space, tabs, empty lines and code.
    const line = "  const été = values[3];\r\n\n\tif (x) {\n}\n日本語 text\n";
    const long = Array.from({ length: 2500 }, (_, i) => `${line}${i}`).join("");
    const { corpus, done } = await load(["short", long, ""], { vocabularySize: 100_000 });
    expect(done).toEqual([1, 2, 3]);
    const back = corpus.facts.tokens;
    const original = [...corpus.ids.subarray(corpus.offsets[1]!, corpus.offsets[2]!)].map(
      (id) => back[id]!,
    );
    expect(original).toEqual(tokenizer.encode(long).ids);
    expect(corpus.facts.unknown).toBe(0);
    expect(corpus.offsets[3]).toBe(corpus.offsets[2]);
    expect(Math.min(...corpus.ids.subarray(0, 1000))).toBeGreaterThan(0);
  });

  it("with the rarest ids unknown when the vocabulary is capped", async () => {
    const { corpus, lines } = await load(["a a a b b c", "a d"], { vocabularySize: 3 });
    expect(corpus.facts.tokens).toHaveLength(3);
    expect(new Set(corpus.ids)).toEqual(new Set([0, 1, 2]));
    expect(corpus.facts.unknown).toBe(corpus.ids.filter((id) => id === 0).length);
    expect(lines.join("\n")).toMatch(/3 of \d+ ids kept, [\d.]+ % of tokens are the unknown id/);
  });

  it("without documents that are too long, which are counted", async () => {
    const { corpus, lines } = await load(["one two three four five", "one"], {
      maxDocumentTokens: 3,
    });
    expect([...corpus.offsets]).toEqual([0, 1]);
    expect(lines.join("\n")).toMatch(/1 documents above 3 tokens left out/);
  });

  it("again when the cache is damaged, which is said", async () => {
    const first = await load(["one two", "three"]);
    const cache = join(first.folder, "cache");
    const name = (ending: string) =>
      join(cache, readdirSync(cache).find((f) => f.endsWith(ending))!);
    const whole = readFileSync(name(".bin"));
    const damages: [string, Uint8Array | string, RegExp][] = [
      [".json", "{", /\.json is no JSON/],
      [".json", "{}", /\.json does not describe a corpus/],
      [".idx", "MMIDIDX", /\.idx is not a readable Megatron index/],
      [".bin", whole.subarray(4), /\.bin has \d+ bytes, its index gives/],
      [".bin", whole.map(() => 0x7f), /\.bin: token 0 is id 2139062143, there are \d+ ids/],
    ];
    for (const [ending, content, message] of damages) {
      writeFileSync(name(ending), content);
      const again = await load(["one two", "three"], {}, first.folder);
      expect(again.lines.join("\n")).toMatch(message);
      expect([...again.corpus.ids]).toEqual([...first.corpus.ids]);
      expect(readFileSync(name(".bin")).equals(whole)).toBe(true);
    }
  });

  it("once: the cache is found for the same texts and only for these", async () => {
    const first = await load(["one two", "three"]);
    const again = await load(["one two", "three"], {}, first.folder);
    expect(again.done).toEqual([]);
    expect(again.lines.join("\n")).toMatch(/tokenised before, read from the cache/);
    expect(again.corpus).toEqual(first.corpus);
    const other = await load(["one two", "four"], {}, first.folder);
    expect(other.done).toHaveLength(2);
    const capped = await load(["one two", "four"], { vocabularySize: 9 }, first.folder);
    expect(capped.done).toHaveLength(2);
    const files = readdirSync(join(first.folder, "cache"));
    expect(files.filter((name) => name.endsWith(".idx"))).toHaveLength(3);
    expect(files.filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("an empty corpus", { timeout: 60_000 }, () => {
  it("is refused", async () => {
    await expect(load([])).rejects.toThrow(/data: the corpus .* holds no document/);
    await expect(load(["", ""])).rejects.toThrow(/has 2 documents, none with 1–65536 tokens/);
    await expect(load(["a b c d"], { maxDocumentTokens: 2 })).rejects.toThrow(
      /has 1 documents, none/,
    );
  });
});
