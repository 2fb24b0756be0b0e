import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { jsonlCorpus, textCorpus } from "../../src/data/file-corpus.js";
import { npmCorpus } from "../../src/data/npm-corpus.js";
import { temporaryFolder } from "../support/folder.js";

function withFiles(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("a corpus of text files", () => {
  it("is every file below a folder in name order, node_modules left out", () => {
    const folder = withFiles({
      "b/x.txt": "two",
      "a.txt": "one",
      "node_modules/p/y.txt": "no",
      "c.md": "three",
    });
    const { documents } = textCorpus([folder]);
    expect(documents.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  it("names a path that is not there", () => {
    expect(() => textCorpus(["/nowhere"])).toThrow(/data.paths: cannot read \/nowhere/);
  });
});

describe("a JSONL corpus", () => {
  it("is one document a line, empty lines left out", () => {
    const folder = withFiles({ "a.jsonl": '{"text":"one"}\n\n{"text":"two","id":3}\n' });
    const { documents } = jsonlCorpus([folder], "text");
    expect(documents.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(documents[1]!.name).toMatch(/a.jsonl:3$/);
  });

  it("names file and line of what cannot be read", () => {
    const folder = withFiles({ "a.jsonl": '{"text":"one"}\n{"body":"two"}\n{oops\n' });
    const file = join(folder, "a.jsonl");
    expect(() => jsonlCorpus([file], "text")).toThrow(
      /a.jsonl:2 has no text in field "text"; its fields: body/,
    );
    writeFileSync(file, "{oops");
    expect(() => jsonlCorpus([file], "text")).toThrow(/a.jsonl:1 is no JSON/);
  });
});

describe("a corpus of npm packages", () => {
  it("holds one source file per base name, no .map or .min. files, and says the licences", () => {
    const { documents, notes } = npmCorpus(["zod", "yaml"]);
    const names = documents.map(({ name }) => name.split("/").at(-1)!);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => /\.map$|\.min\.|\.json$/.test(name))).toEqual([]);
    expect(documents[0]!.name).toMatch(/^zod\//);
    expect(notes[0]).toMatch(/^zod \d+\.\d+\.\d+ \(MIT\): \d+ files$/);
    expect(notes[1]).toMatch(/^yaml .* \(ISC\): \d+ files$/);
    expect(notes[2]).toMatch(/left out: \d+ files whose base name was there before, \d+ \.map and/);
  });

  it("names a package that is not installed", () => {
    expect(() => npmCorpus(["left-pad-of-nobody"])).toThrow(
      /The npm package left-pad-of-nobody is not installed.*Tried: /,
    );
  });
});
