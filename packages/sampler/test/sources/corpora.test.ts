import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SourceOptions } from "../../src/sources/length-source.js";
import { openLengths } from "../../src/sources/open-lengths.js";
import { readLengths } from "../../src/sources/read-lengths.js";
import { useArchive } from "./formats.js";

const path = useArchive("corpora.tar.gz");

interface Corpus {
  path: string;
  options: SourceOptions;
  lengths: number[];
}

it("reads every layout that numpy, pyarrow, datasets and tarfile write", async () => {
  const corpora: Corpus[] = JSON.parse(readFileSync(path("corpora.json"), "utf8"));
  expect(corpora).toHaveLength(413);
  for (const { path: name, options, lengths } of corpora) {
    const source = await openLengths(path(name), options);
    const read = Array.from(await readLengths(source));
    expect(read, `${name} ${JSON.stringify(options)}`).toEqual(lengths);
    if (source.total !== undefined) expect(source.total, name).toBe(lengths.length);
  }
}, 30_000);

it("says which splits a DatasetDict has", async () => {
  await expect(openLengths(path("hf_dict"))).rejects.toThrow(
    "one split of this DatasetDict (train) for path",
  );
});
