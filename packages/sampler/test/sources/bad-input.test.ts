import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { LibraError } from "@libra/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SourceOptions } from "../../src/sources/length-source.js";
import { openLengths } from "../../src/sources/open-lengths.js";
import { lengthsInMemory, readLengths } from "../../src/sources/read-lengths.js";
import { useFormats } from "./formats.js";

const formats = useFormats();
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "libra-bad-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function failure(path: string | string[], options?: SourceOptions): Promise<LibraError> {
  try {
    await readLengths(path, options);
  } catch (error) {
    if (error instanceof LibraError) return error;
    throw error;
  }
  throw new Error("no failure");
}

function npy(descr: string, shape: string, data: Uint8Array): Buffer {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117);
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00\x76\x00", "latin1"),
    Buffer.from(`${text}\n`),
    data,
  ]);
}

describe("refusals say why and what to do", () => {
  it("refuses pickles in every wrapping", async () => {
    const nemo = await failure(formats.path("nemo/packed_8192_seed0.npy"));
    expect(nemo.code).toBe("UNSUPPORTED");
    expect(nemo.message).toContain("is a Python pickle, and opening a pickle runs");
    expect(nemo.message).toContain('numpy.save("lengths.npy", lengths)');
    const plain = write("data.pkl", Buffer.from([0x80, 4, 0x95, 10, 0, 0, 0, 0, 0, 0, 0, 0x2e]));
    expect((await failure(plain)).message).toContain("this file is a Python pickle");
    const object = npy("|O", "(2,)", Buffer.from([0x80, 4]));
    expect((await failure(write("object.npy", object))).code).toBe("UNSUPPORTED");
  });

  it("refuses zipped MDS shards, and reads them once unzipped", async () => {
    const index = JSON.parse(readFileSync(formats.path("mds/prolong_raw/index.json"), "utf8"));
    for (const shard of index.shards) {
      shard.compression = "zstd:7";
      shard.zip_data = { basename: `${shard.raw_data.basename}.zstd`, bytes: 10, hashes: {} };
    }
    const path = join(folder, "zipped");
    mkdirSync(path);
    writeFileSync(join(path, "index.json"), JSON.stringify(index));
    const error = await failure(path);
    expect(error.code).toBe("UNSUPPORTED");
    expect(error.message).toContain("shard.00000.mds.zstd: the shard is zipped");
    for (const name of ["shard.00000.mds", "shard.00001.mds"]) {
      writeFileSync(join(path, name), readFileSync(formats.path(`mds/prolong_raw/${name}`)));
    }
    expect(Array.from(await readLengths(path))).toEqual(formats.lengths);
  });

  it.each([
    ["old.idx", Buffer.from("TNTIDX\0\0".padEnd(40, "\0")), "older TNTIDX index"],
    ["old.feather", Buffer.from("FEA1".padEnd(40, "\0")), "Feather version 1"],
    ["secret.parquet", Buffer.from(`PARE${"\0".repeat(12)}PARE`), "footer is encrypted"],
    ["lengths.jsonl.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]), "zstd -d"],
    ["image.gz", gzipSync(Buffer.from([0, 1, 2, 3])), "holds no tar, JSONL, CSV or text"],
  ])("refuses %s", async (name, content, message) => {
    const error = await failure(write(name, content));
    expect(error.code).toBe("UNSUPPORTED");
    expect(error.message).toContain(message);
  });
});

describe("damage names the file, the offset and what was expected", () => {
  it.each([
    [
      "megatron/int32.idx",
      250,
      /int32\.idx: at byte 18: expected counts that fit the file: 12 seq/,
    ],
    [
      "npy/lengths_i4.npy",
      170,
      /lengths_i4\.npy: at byte 128: expected 12 numbers of 4 bytes, 176/,
    ],
    ["npy/lengths.npz", 300, /lengths\.npz: at byte 300: expected the end record of a zip/],
    ["parquet/lengths_only.parquet", 700, /at byte 696: expected the closing magic PAR1/],
    ["arrow/tokens.feather", 9000, /at byte 8994: expected the closing magic ARROW1/],
    [
      "arrow/tokens_stream.arrow",
      9000,
      /at byte \d+: expected a body of \d+ bytes but found the end/,
    ],
    ["jsonl/lengths.jsonl.gz", 60, /at byte 60: expected a whole gzip stream .* unexpected end/],
    ["webdataset/shard-000000.tar", 700, /at byte 512: expected 148|expected 118|more bytes/],
    ["nanogpt/train.bin", 101, /train\.bin: at byte 0: expected whole tokens of 2 bytes/],
  ])("%s cut at %i", async (name, cut, message) => {
    const content = readFileSync(formats.path(name)).subarray(0, cut);
    const error = await failure(write(name.split("/")[1]!, content));
    expect(error.code).toBe("FORMAT");
    expect(error.message).toMatch(message);
    expect(error.details).toMatchObject({ path: expect.any(String), offset: expect.any(Number) });
  });

  it("refuses a CSV row without the column, and passes over empty lines", async () => {
    const short = await failure(write("short.csv", "id,length\n1,5\n2\n"));
    expect(short.code).toBe("LENGTHS");
    expect(short.message).toContain("the length of document 1 is missing");
    const lengths = await readLengths(write("lines.csv", "id,length\n1,5\n\n2,6\n\n"));
    expect(Array.from(lengths)).toEqual([5, 6]);
  });

  it("refuses numbers of a wrong type or shape", async () => {
    const complex = await failure(write("c.npy", npy("<c8", "(1,)", new Uint8Array(8))));
    expect(complex.message).toContain(
      'expected an array of integers but found the NumPy type "<c8"',
    );
    const matrix = await failure(write("m.npy", npy("<i4", "(2, 2)", new Uint8Array(16))));
    expect(matrix.message).toContain("an array of one dimension but found the shape (2, 2)");
  });

  it("compares MDS shards and dolma parts with their tables", async () => {
    const path = join(folder, "short");
    mkdirSync(path);
    writeFileSync(
      join(path, "index.json"),
      readFileSync(formats.path("mds/llmfoundry_bytes/index.json")),
    );
    const shard = readFileSync(formats.path("mds/llmfoundry_bytes/shard.00000.mds"));
    writeFileSync(join(path, "shard.00000.mds"), shard.subarray(0, 45000));
    expect((await failure(path)).message).toContain(
      "expected 45547 bytes but found a file of 45000",
    );
    const table = write("part.csv.gz", readFileSync(formats.path("dolma/part-0-00000.csv.gz")));
    write("part.npy", new Uint8Array(100));
    expect((await failure(table)).message).toContain(
      "expected 5658 tokens of 2 bytes, 11316 bytes",
    );
  });

  it("asks for whole tokens", async () => {
    const path = formats.path("mds/llmfoundry_bytes");
    expect((await readLengths(path, { tokenBytes: 4 }))[0]).toBe(2 * formats.lengths[0]!);
    const error = await failure(formats.path("dolma/part-0-00000.npy"), { tokenBytes: 4 });
    expect(error.message).toContain("set tokenBytes where a token has another size");
  });
});

describe("lengths that are no lengths", () => {
  it.each([
    ["nan.jsonl", '{"length": 1}\n{"length": null}\n', /document 1 is null/],
    ["negative.jsonl", '{"length": 1}\n\n{"length": -2}', /document 1 is -2/],
    ["fraction.txt", "1\n2\n2.5\n", /document 2 is 2\.5/],
    ["large.txt", "4294967295\n4294967296\n", /document 1 is 4294967296/],
    ["nan.csv", "id,length\na,3\nb,nan\n", /document 1 is nan/],
    ["empty.csv", "id,length\na,3\nb,\n", /document 1 is missing/],
    ["missing.jsonl", '{"length": 1}\n{"len": 1}', /document 1 is missing/],
  ])("%s", async (name, content, message) => {
    const error = await failure(write(name, content));
    expect(error.code).toBe("LENGTHS");
    expect(error.message).toMatch(message);
    expect(error.details).toMatchObject({ index: expect.any(Number) });
  });

  it("checks arrays of any number type", async () => {
    const doubles = new Float64Array([1, 2, Number.NaN]);
    const error = await failure(write("f.npy", npy("<f8", "(3,)", new Uint8Array(doubles.buffer))));
    expect(error.message).toContain("the length of document 2 is NaN");
    const wide = new BigInt64Array([1n, 2n ** 32n]);
    const large = await failure(write("w.npy", npy("<i8", "(2,)", new Uint8Array(wide.buffer))));
    expect(large.message).toContain(
      "document 1 is 4294967296: expected an integer from 0 to 4294967295",
    );
    const falling = new Int32Array([0, 5, 3]);
    const offsets = npy("<i4", "(3,)", new Uint8Array(falling.buffer));
    expect((await failure(write("offsets.npy", offsets))).message).toContain(
      "at byte 136: expected offset 2 of the list to be at least 5 but found 3",
    );
    expect(() => lengthsInMemory([1, -1])).toThrow("the length of document 1 is -1");
  });

  it("counts documents across files", async () => {
    const first = formats.path("npy/lengths_i4.npy");
    const error = await failure([first, write("second.txt", "1\n-1\n")]);
    expect(error.message).toContain("second.txt: the length of document 1 is -1");
    expect(error.message).toContain("(file's first document: 12)");
  });
});

describe("arguments", () => {
  it("lists the columns and the nearest name", async () => {
    const path = formats.path("parquet/tokens_snappy.parquet");
    const error = await failure(path, { column: "lenght" });
    expect(error.code).toBe("ARGUMENT");
    expect(error.message).toContain("there is no column lenght");
    expect(error.message).toContain("input_ids (list), length (number), id (other)");
    expect(error.message).toContain("did you mean length?");
    expect((await failure(path, { column: "id" })).message).toContain("holds neither numbers nor");
  });

  it("says that a file is missing, a folder is no corpus, a format unknown", async () => {
    expect((await failure(join(folder, "none.npy"))).message).toContain("there is no such file");
    const empty = join(folder, "nothing");
    mkdirSync(empty);
    expect((await failure(empty)).message).toContain("files of one format but found none");
    const format = "parket" as never;
    expect((await failure(empty, { format })).message).toContain("did you mean parquet?");
    const binary = write("x.dat", new Uint8Array([1, 0, 2, 0]));
    expect((await failure(binary)).message).toContain("expected a known format");
    await expect(openLengths([])).rejects.toThrow("Expected at least one file or folder");
  });

  it("opens empty files of known formats as no documents", async () => {
    expect(
      await readLengths(write("zero.npy", npy("<i4", "(0,)", new Uint8Array(0)))),
    ).toHaveLength(0);
    expect(
      await readLengths(write("zero.tar", new Uint8Array(1024)), { format: "webdataset" }),
    ).toHaveLength(0);
    expect(await readLengths(write("zero.jsonl", ""), { format: "jsonl" })).toHaveLength(0);
  });
});
