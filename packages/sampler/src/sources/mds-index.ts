import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, type Meter } from "./byte-file.js";
import { damaged, refused } from "./format-error.js";

/** One column of an MDS data set. */
export interface MdsColumn {
  name: string;
  /** As in the index: `int`, `bytes`, `ndarray:uint32`, … */
  encoding: string;
  /** Bytes of a value, where every value has the same. */
  size: number | undefined;
}

/** One uncompressed shard. */
export interface MdsShard {
  path: string;
  samples: number;
  bytes: number;
}

export interface MdsIndex {
  columns: MdsColumn[];
  shards: MdsShard[];
}

interface RawShard {
  format?: unknown;
  samples?: unknown;
  column_names?: unknown;
  column_encodings?: unknown;
  column_sizes?: unknown;
  raw_data?: { basename?: unknown; bytes?: unknown } | null;
  zip_data?: { basename?: unknown } | null;
}

/**
 * Reads `index.json` of a MosaicML streaming folder.
 *
 * @throws LibraError `UNSUPPORTED` for shards that exist only zipped and for other formats of
 *   streaming than MDS, `FORMAT` for a damaged index
 */
export async function readMdsIndex(folder: string, meter: Meter): Promise<MdsIndex> {
  const path = join(folder, "index.json");
  const text = await readFile(path, "utf8");
  meter.bytes += Buffer.byteLength(text);
  let index: { shards?: unknown } | null;
  try {
    index = JSON.parse(text);
  } catch (error) {
    throw damaged(path, 0, "JSON", (error as Error).message, error);
  }
  if (!Array.isArray(index?.shards)) throw damaged(path, 0, "a list of shards", "none");
  const raw = index.shards as RawShard[];
  const columns = raw.length === 0 ? [] : columnsOf(raw[0]!, path);
  const shards: MdsShard[] = [];
  for (const shard of raw) shards.push(await shardOf(shard, folder, path, columns));
  return { columns, shards };
}

async function shardOf(
  shard: RawShard,
  folder: string,
  path: string,
  columns: readonly MdsColumn[],
): Promise<MdsShard> {
  if (JSON.stringify(columnsOf(shard, path)) !== JSON.stringify(columns)) {
    throw damaged(path, 0, "the same columns in every shard", "shards that differ");
  }
  const name = shard.raw_data?.basename;
  const bytes = shard.raw_data?.bytes;
  if (typeof name !== "string" || !isCount(shard.samples) || !isCount(bytes)) {
    throw damaged(path, 0, "raw_data and samples of a shard", JSON.stringify(shard).slice(0, 80));
  }
  const zipped = shard.zip_data?.basename;
  const raw = join(folder, name);
  if (typeof zipped === "string" && !(await exists(raw))) {
    throw refused(
      join(folder, zipped),
      "the shard is zipped, and its borders lie inside the compressed data",
      `Unzip the shards first, for example by one pass of streaming's StreamingDataset with keep_zip, so that ${name} lies beside index.json`,
    );
  }
  return { path: raw, samples: shard.samples, bytes };
}

function columnsOf(shard: RawShard, path: string): MdsColumn[] {
  if (shard.format !== "mds") {
    throw refused(
      path,
      `a shard has the format ${JSON.stringify(shard.format)}, not mds`,
      "Point at its JSONL or CSV shards directly, or write the data set with MDSWriter",
    );
  }
  const { column_names: names, column_encodings: encodings, column_sizes: sizes } = shard;
  if (!isStrings(names) || !isStrings(encodings) || !Array.isArray(sizes)) {
    throw damaged(path, 0, "column_names, column_encodings and column_sizes", "something else");
  }
  if (names.length !== encodings.length || names.length !== sizes.length) {
    throw damaged(path, 0, "as many encodings and sizes as columns", "other numbers of them");
  }
  return names.map((name, i) => {
    const size: unknown = sizes[i];
    if (size !== null && !isCount(size)) {
      throw damaged(path, 0, `a size in bytes of column ${name}`, JSON.stringify(size));
    }
    return { name, encoding: encodings[i]!, size: size ?? undefined };
  });
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
