import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import { describe, expect, it } from "vitest";
import { uniform } from "../../src/order/document-order.js";
import { openLengths } from "../../src/sources/open-lengths.js";
import { readLengths } from "../../src/sources/read-lengths.js";
import { useFormats } from "./formats.js";

const formats = useFormats();
// LIBRA_FUZZ=50 tries fifty times as many.
const times = Number(process.env.LIBRA_FUZZ ?? 1);
const truncations = 12 * times;
const flips = 30 * times;

/** A sample (file or folder) and the files of it that are damaged. */
const samples: Array<{ open: string; files?: string[]; column?: string }> = [
  { open: "megatron/int32.idx" },
  { open: "megatron/multi_seq.idx" },
  { open: "megatron/multimodal.idx" },
  ...readNames("npy"),
  { open: "bridge_ragged", files: ["meta.json", "input_ids.offsets.npy"] },
  { open: "dolma/part-0-00000.csv.gz" },
  { open: "jsonl/lengths.jsonl" },
  { open: "jsonl/lengths.jsonl.gz" },
  { open: "jsonl/tokens.jsonl" },
  { open: "jsonl/lengths.csv" },
  { open: "jsonl/lengths.txt" },
  { open: "nanogpt/train.bin" },
  { open: "webdataset/shard-000000.tar" },
  { open: "mds/prolong_raw", files: ["index.json", "shard.00000.mds"] },
  { open: "mds/prolong_packed", files: ["index.json", "shard.00000.mds"] },
  { open: "mds/llmfoundry_bytes", files: ["index.json", "shard.00000.mds"] },
  ...["lengths_only", "length_i64_dict", "bridge_packed.idx", "no_length_col"].map((name) => ({
    open: `parquet/${name}.parquet`,
  })),
  ...["none", "snappy", "gzip", "zstd", "v2pages"].flatMap((name) => [
    { open: `parquet/tokens_${name}.parquet` },
    { open: `parquet/tokens_${name}.parquet`, column: "input_ids" },
  ]),
  ...["tokens.feather", "tokens_lz4.feather", "tokens_stream.arrow"].flatMap((name) => [
    { open: `arrow/${name}` },
    { open: `arrow/${name}`, column: "input_ids" },
  ]),
  { open: "hf_dataset", files: ["state.json", "data-00000-of-00002.arrow"] },
];

function readNames(folder: string): Array<{ open: string }> {
  return [
    "lengths_i4.npy",
    "lengths_v2.npy",
    "lengths_be_i4.npy",
    "offsets_i8.npy",
    "lengths.npz",
    "lengths_deflate.npz",
  ].map((name) => ({ open: `${folder}/${name}` }));
}

describe("damaged samples", () => {
  it.each(samples)(
    "$open $column: truncated or flipped, an answer or a LibraError",
    async (sample) => {
      const folder = mkdtempSync(join(tmpdir(), "libra-fuzz-"));
      try {
        const isFolder = statSync(formats.path(sample.open)).isDirectory();
        const copy = join(folder, sample.open.split("/").at(-1)!);
        cpSync(formats.path(sample.open), copy, { recursive: true });
        if (sample.open.startsWith("dolma")) {
          cpSync(formats.path("dolma/part-0-00000.npy"), join(folder, "part-0-00000.npy"));
        }
        for (const name of sample.files ?? [""]) {
          await damage(isFolder ? join(copy, name) : copy, copy, sample.column);
        }
        expect(readdirSync(folder).length).toBeGreaterThan(0);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

async function damage(file: string, open: string, column: string | undefined): Promise<void> {
  const whole = readFileSync(file);
  const random = uniform(7);
  for (let i = 0; i < truncations; i++) {
    const edge = random() < 0.5 ? Math.floor(random() * 64) : Math.floor(random() * whole.length);
    const cut =
      random() < 0.5 ? Math.min(edge, whole.length - 1) : Math.max(0, whole.length - 1 - edge);
    writeFileSync(file, whole.subarray(0, cut));
    await attempt(open, column, `cut at ${cut}`);
  }
  for (let i = 0; i < flips; i++) {
    // Headers and footers are where a flip does the most.
    const near = Math.floor(random() * Math.min(whole.length, 800));
    const place = [Math.floor(random() * whole.length), near, whole.length - 1 - near][i % 3]!;
    const flipped = Buffer.from(whole);
    flipped[place]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(file, flipped);
    await attempt(open, column, `bit flipped in byte ${place}`);
  }
  writeFileSync(file, whole);
}

async function attempt(open: string, column: string | undefined, what: string): Promise<void> {
  const began = performance.now();
  try {
    await readLengths(await openLengths(open, column === undefined ? {} : { column }));
  } catch (error) {
    if (!(error instanceof LibraError)) throw new Error(`${open}, ${what}`, { cause: error });
    expect(error.message, what).toContain(open.split("/").at(-2));
  }
  expect(performance.now() - began, what).toBeLessThan(5000);
}
