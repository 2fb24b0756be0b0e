import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lengthsOf } from "../../src/data/documents.js";
import { readIndexedDataset, writeIndexedDataset } from "../../src/files/indexed-dataset.js";
import { temporaryFolder } from "../support/folder.js";

const documents = {
  ids: Int32Array.of(5, 6, 7, 151642, 9),
  offsets: Float64Array.of(0, 3, 3, 5),
};

function written(): string {
  const path = join(temporaryFolder(), "corpus");
  writeIndexedDataset(path, documents);
  return path;
}

describe("the Megatron .idx/.bin pair", () => {
  it("comes back as it was written, an empty document included", () => {
    expect(readIndexedDataset(written())).toEqual(documents);
  });

  it("has Megatron's bytes", () => {
    const index = readFileSync(`${written()}.idx`);
    expect(index.subarray(0, 9).toString("latin1")).toBe("MMIDIDX\0\0");
    expect(index.readUInt8(17)).toBe(4);
    expect(index.byteLength).toBe(34 + 3 * 12 + 4 * 8);
    expect([0, 1, 2].map((d) => index.readInt32LE(34 + 4 * d))).toEqual([3, 0, 2]);
    expect([0, 1, 2].map((d) => Number(index.readBigInt64LE(46 + 8 * d)))).toEqual([0, 12, 12]);
    expect([0, 1, 2, 3].map((d) => Number(index.readBigInt64LE(70 + 8 * d)))).toEqual([0, 1, 2, 3]);
  });

  it("refuses what is damaged, by file and bytes", () => {
    const path = written();
    truncateSync(`${path}.bin`, 12);
    expect(() => readIndexedDataset(path)).toThrow(/corpus.bin has 12 bytes, its index gives 20/);
    truncateSync(`${path}.idx`, 60);
    expect(() => readIndexedDataset(path)).toThrow(/3 sequences need 70 bytes, the file has 60/);
    writeFileSync(`${path}.idx`, "something else that is long enough to read");
    expect(() => readIndexedDataset(path)).toThrow(/bytes 0–9 are not MMIDIDX/);
  });

  const samples = fileURLToPath(new URL("../../../../../shared/formats/", import.meta.url));
  it.skipIf(!existsSync(samples))(
    "reads files that Megatron-LM wrote, when samples are here",
    () => {
      const { lengths } = JSON.parse(readFileSync(join(samples, "expected.json"), "utf8"));
      for (const name of ["int32", "uint16"]) {
        const read = readIndexedDataset(join(samples, "megatron", name));
        expect([...lengthsOf(read)]).toEqual(lengths);
        expect([...read.ids.subarray(0, 4)]).toEqual([0, 31, 62, 93]);
      }
    },
  );
});
