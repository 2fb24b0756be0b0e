import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SourceFormat, SourceOptions } from "../../src/sources/length-source.js";
import { openLengths } from "../../src/sources/open-lengths.js";
import { readLengths } from "../../src/sources/read-lengths.js";
import { useFormats } from "./formats.js";

const formats = useFormats();

interface Sample {
  name: string;
  format: SourceFormat;
  options?: SourceOptions;
  /** Bytes that opening and one pass read, where metadata suffices. */
  bytes?: number;
}

const samples: Sample[] = [
  // 34 of header (twice: opening and the pass reads borders), 4 a sequence, 8 a document border.
  { name: "megatron/int32.idx", format: "megatron", bytes: 34 + 12 * 4 + 13 * 8 },
  { name: "megatron/int32", format: "megatron", bytes: 34 + 12 * 4 + 13 * 8 },
  { name: "megatron/int32.bin", format: "megatron", bytes: 34 + 12 * 4 + 13 * 8 },
  { name: "megatron/uint16.idx", format: "megatron", bytes: 34 + 12 * 4 + 13 * 8 },
  { name: "megatron/multimodal.idx", format: "megatron", bytes: 34 + 12 * 4 + 13 * 8 },
  {
    name: "megatron/multi_seq.idx",
    format: "megatron",
    options: { unit: "sequences" },
    bytes: 34 + 12 * 4,
  },
  { name: "npy/lengths_i4.npy", format: "npy" },
  { name: "npy/lengths_i8.npy", format: "npy" },
  { name: "npy/lengths_u2.npy", format: "npy" },
  { name: "npy/lengths_be_i4.npy", format: "npy" },
  { name: "npy/lengths_v2.npy", format: "npy" },
  { name: "npy/offsets_i8.npy", format: "npy" },
  { name: "npy/lengths.npz", format: "npz" },
  { name: "npy/lengths_deflate.npz", format: "npz" },
  // meta.json, the header twice as 10 + 118 bytes less the second reading, and 13 offsets.
  { name: "bridge_ragged", format: "ragged", bytes: 93 + 128 + 13 * 8 },
  { name: "dolma/part-0-00000.npy", format: "dolma", bytes: 2 + 165 },
  { name: "dolma/part-0-00000.csv.gz", format: "dolma", bytes: 2 + 165 },
  { name: "jsonl/lengths.jsonl", format: "jsonl" },
  { name: "jsonl/lengths.jsonl.gz", format: "jsonl" },
  { name: "jsonl/tokens.jsonl", format: "jsonl" },
  { name: "jsonl/tokens.jsonl", format: "jsonl", options: { column: "input_ids" } },
  { name: "jsonl/lengths.csv", format: "csv" },
  { name: "jsonl/lengths.csv", format: "csv", options: { column: "1" } },
  { name: "jsonl/lengths.txt", format: "text" },
  { name: "nanogpt/train.bin", format: "tokens" },
  { name: "webdataset", format: "webdataset" },
  { name: "webdataset", format: "webdataset", options: { column: "length" } },
  { name: "mds/prolong_raw", format: "mds" },
  { name: "mds/prolong_raw", format: "mds", options: { column: "input_ids" } },
  // index.json, and of the shard the sample count and the 13 borders: no sample is touched.
  { name: "mds/llmfoundry_bytes", format: "mds", bytes: 365 + 4 + 13 * 4 },
  { name: "parquet/lengths_only.parquet", format: "parquet", bytes: 8 + 528 + 129 },
  { name: "parquet/length_i64_dict.parquet", format: "parquet" },
  { name: "parquet/no_length_col.parquet", format: "parquet" },
  ...["none", "snappy", "gzip", "zstd", "v2pages"].flatMap((codec) =>
    [undefined, "input_ids"].map(
      (column): Sample => ({
        name: `parquet/tokens_${codec}.parquet`,
        format: "parquet",
        ...(column === undefined ? {} : { options: { column } }),
      }),
    ),
  ),
  ...["tokens.feather", "tokens_lz4.feather", "tokens_stream.arrow"].flatMap((name) =>
    [undefined, "input_ids"].map(
      (column): Sample => ({
        name: `arrow/${name}`,
        format: "arrow",
        ...(column === undefined ? {} : { options: { column } }),
      }),
    ),
  ),
  { name: "hf_dataset", format: "huggingFace" },
  { name: "hf_dataset", format: "huggingFace", options: { column: "input_ids" } },
  { name: "hf_dataset/state.json", format: "huggingFace" },
];

describe("openLengths on the samples", () => {
  it.each(samples)("reads $name $options", async ({ name, format, options, bytes }) => {
    const path = formats.path(name);
    const source = await openLengths(path, options);
    expect(source.format).toBe(format);
    expect(Array.from(await readLengths(source))).toEqual(formats.lengths);
    if (source.total !== undefined) expect(source.total).toBe(12);
    if (bytes !== undefined) expect(source.bytesRead).toBe(bytes);
    const again = await openLengths(path, { format, ...options });
    expect(await again.fingerprint()).toBe(await source.fingerprint());
  });

  it("sums the sequences of a Megatron document", async () => {
    const source = await openLengths(formats.path("megatron/multi_seq.idx"));
    expect(Array.from(await readLengths(source))).toEqual([23, 366, 1042, 4227]);
    expect(source.bytesRead).toBe(34 + 12 * 4 + 5 * 8);
    expect(source.notes[0]).toContain("12 sequences in 4 documents");
  });

  it("keeps the order of a shuffled data set", async () => {
    const path = formats.path("hf_shuffled");
    const lengths = await readLengths(path);
    expect(lengths).toEqual(await readLengths(path, { column: "input_ids" }));
    expect(Array.from(lengths)).not.toEqual(formats.lengths);
    expect(Array.from(lengths).sort()).toEqual(formats.lengths.toSorted());
  });

  it("finds the documents inside packed Parquet rows", async () => {
    const source = await openLengths(formats.path("parquet/bridge_packed.idx.parquet"));
    const lengths = Array.from(await readLengths(source));
    expect(lengths.toSorted((a, b) => a - b)).toEqual(
      formats.lengths.filter((length) => length < 4096).toSorted((a, b) => a - b),
    );
    expect(source.notes[0]).toContain("2 packed rows");
  });

  it("finds the documents inside packed MDS samples", async () => {
    const source = await openLengths(formats.path("mds/prolong_packed"));
    expect(Array.from(await readLengths(source))).toEqual(formats.lengths.slice(0, 11));
    expect(source.notes[1]).toContain("2 packed samples");
  });

  it("reads only levels of version-2 Parquet pages", async () => {
    const name = formats.path("parquet/tokens_v2pages.parquet");
    const source = await openLengths(name, { column: "input_ids" });
    await readLengths(source);
    const version1 = await openLengths(formats.path("parquet/tokens_zstd.parquet"), {
      column: "input_ids",
    });
    await readLengths(version1);
    expect(source.bytesRead).toBeLessThan(3000);
    expect(version1.bytesRead).toBeGreaterThan(10000);
  });

  it("skips the values of Arrow lists and of tar members", async () => {
    for (const [name, most] of [
      ["arrow/tokens.feather", 4000],
      ["arrow/tokens_stream.arrow", 4000],
      ["hf_dataset", 4500],
      ["webdataset", 2 * (512 * 30 + 12 * 128)],
    ] as const) {
      const source = await openLengths(formats.path(name), { column: "input_ids" });
      await readLengths(source);
      const whole = name.includes(".") ? readFileSync(formats.path(name)).length : Infinity;
      expect(source.bytesRead).toBeLessThan(Math.min(most, whole));
    }
  });

  it("joins several files in their order", async () => {
    const path = [formats.path("npy/lengths_i4.npy"), formats.path("jsonl/lengths.txt")];
    const source = await openLengths(path);
    expect(source.format).toBe("several");
    expect(Array.from(await readLengths(source))).toEqual([...formats.lengths, ...formats.lengths]);
    const same = await openLengths([path[0]!, path[0]!]);
    expect(same).toMatchObject({ format: "npy", total: 24 });
  });

  it("reports progress", async () => {
    const seen: unknown[] = [];
    await readLengths(formats.path("npy/lengths_i4.npy"), {
      onProgress: (documents, total) => seen.push([documents, total]),
    });
    expect(seen).toEqual([[12, 12]]);
  });
});
