import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { expected } from "@libra/base";
import { isArrow } from "./arrow.js";
import { exists, withFile } from "./byte-file.js";
import { isGzip } from "./content-stream.js";
import { dolmaTable } from "./dolma.js";
import { damaged, refused, refusedPickle } from "./format-error.js";
import type { SourceFormat } from "./length-source.js";
import { isMegatron } from "./megatron.js";
import { isNpy } from "./npy-header.js";
import { isNpzDirectory } from "./npz.js";
import { isRagged } from "./ragged.js";
import { isTar } from "./tar-members.js";
import { isTokenFile } from "./tokens.js";
import { readZipDirectory } from "./zip-directory.js";

const headBytes = 4096;
const lines = /^[^\n]*\n?/;

/**
 * The format of a file, by its content; names decide only where content cannot (raw tokens,
 * dolma's `.npy` without a header).
 *
 * @throws LibraError `UNSUPPORTED` for pickles and other formats that are known and not read, each
 *   with the way out; `FORMAT` for what is not recognised
 */
export async function detectFormat(path: string): Promise<SourceFormat> {
  if (!(await exists(path)) && (await exists(`${path}.idx`))) return "megatron";
  const head = await readHead(path);
  const known = await detectBinary(path, head);
  if (known !== undefined) return known;
  if (isGzip(head)) return detectGzip(path, head);
  const byName = await detectByName(path, head);
  if (byName !== undefined) return byName;
  const text = detectText(head);
  if (text !== undefined) return text;
  throw damaged(
    path,
    0,
    "a known format (see the format option)",
    `bytes ${Buffer.from(head.subarray(0, 8)).toString("hex") || "of an empty file"}`,
  );
}

/** Formats that one look at a file's first bytes decides. */
async function detectBinary(path: string, head: Uint8Array): Promise<SourceFormat | undefined> {
  const start = Buffer.from(head.subarray(0, 4)).toString("latin1");
  if (isMegatron(head)) return "megatron";
  if (isNpy(head)) return "npy";
  if (start === "PAR1" || start === "PARE") return "parquet";
  if (isArrow(head)) return "arrow";
  if (start === "PK\x03\x04" || start === "PK\x05\x06") return detectZip(path);
  if (isTar(head)) return "webdataset";
  if (isTokenFile(head)) return "tokens";
  if (head[0] === 0x80 && head[1]! >= 2 && head[1]! <= 5) throw refusedPickle(path, "this file");
  if (start === "\x28\xb5\x2f\xfd") {
    throw refused(path, "the file is compressed with Zstandard", "Decompress it with zstd -d");
  }
  return undefined;
}

async function detectZip(path: string): Promise<SourceFormat> {
  const members = await withFile(path, { bytes: 0 }, readZipDirectory);
  if (isNpzDirectory(members)) return "npz";
  if (members.some(({ name }) => name.endsWith(".pkl"))) {
    throw refusedPickle(path, "this file of torch.save");
  }
  throw refused(path, "this zip archive holds other files than .npy", "Unzip it and name the file");
}

function detectGzip(path: string, head: Uint8Array): SourceFormat {
  let content: Uint8Array;
  try {
    // The head is cut anywhere: take what comes out until then.
    content = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw damaged(path, 0, "a gzip stream", (error as Error).message, error);
  }
  if (isTar(content)) return "webdataset";
  const text = detectText(content.subarray(0, headBytes));
  if (text === "csv" && path.endsWith(".csv.gz") && isDolmaTable(content)) return "dolma";
  if (text !== undefined) return text;
  throw refused(path, "the gzip file holds no tar, JSONL, CSV or text", "Decompress it first");
}

function isDolmaTable(content: Uint8Array): boolean {
  const first = lines.exec(Buffer.from(content.subarray(0, headBytes)).toString("utf8"))![0];
  return /^0,\d+,[^,]*,[^,]+,\d+\s*$/.test(first);
}

async function detectByName(path: string, head: Uint8Array): Promise<SourceFormat | undefined> {
  const extension = extname(path);
  if (extension === ".npy" && (await dolmaTable(path)) !== undefined) return "dolma";
  if (extension === ".bin") {
    return (await exists(`${path.slice(0, -4)}.idx`)) ? "megatron" : "tokens";
  }
  if (extension === ".mds") {
    throw expected("the folder of the shard, which holds index.json", "path", path);
  }
  if (extension === ".json") return detectIndexFile(path, head);
  return undefined;
}

// A folder's index file names the folder.
async function detectIndexFile(path: string, head: Uint8Array): Promise<SourceFormat | undefined> {
  const text = Buffer.from(head).toString("utf8");
  if (path.endsWith("index.json") && /"shards"/.test(text)) return "mds";
  if (path.endsWith("state.json") && /"_data_files"/.test(text)) return "huggingFace";
  return undefined;
}

function detectText(head: Uint8Array): SourceFormat | undefined {
  if (head.includes(0)) return undefined;
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  const first = lines.exec(text.trimStart())![0].trim();
  if (first === "") return undefined;
  if (first.startsWith("{")) return "jsonl";
  if (/^[+-]?[\d.]+(e[+-]?\d+)?$|^nan$/i.test(first)) return "text";
  // A header of a CSV file with one column is one word.
  return /[,;\t]/.test(first) || /^"?[\w .-]+"?$/.test(first) ? "csv" : undefined;
}

/** The format of a folder that has an index file of its own; `undefined` for a folder of plain files. */
export async function detectFolder(path: string): Promise<SourceFormat | undefined> {
  const has = (name: string) => exists(join(path, name));
  if ((await has("state.json")) || (await has("dataset_dict.json"))) return "huggingFace";
  if (await has("index.json")) return "mds";
  return (await isRagged(path)) ? "ragged" : undefined;
}

const listed = /\.(idx|parquet|arrow|feather|npy|npz|tar|tgz|jsonl|csv|txt)(\.gz)?$/;

/**
 * The files of a folder that together are one corpus, in the order of their names (by code unit).
 *
 * @throws LibraError `FORMAT` unless they are all of one kind
 */
export async function corpusFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => listed.test(name)).sort();
  const kinds = [...new Set(names.map((name) => listed.exec(name)![0]))];
  if (kinds.length === 1) return names.map((name) => join(folder, name));
  throw damaged(
    folder,
    0,
    "a folder with state.json, index.json or meta.json, or with files of one format",
    kinds.length === 0 ? "none of them" : `files of ${kinds.join(", ")}`,
  );
}

async function readHead(path: string): Promise<Uint8Array> {
  return withFile(path, { bytes: 0 }, (file) => file.read(0, Math.min(headBytes, file.size)));
}
