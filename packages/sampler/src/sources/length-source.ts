import type { Meter } from "./byte-file.js";
import { lengthsFingerprint } from "./fingerprint.js";
import { damaged } from "./format-error.js";

/** The formats that {@link openLengths} knows; detection goes by content. */
export const sourceFormats = [
  "megatron",
  "parquet",
  "arrow",
  "huggingFace",
  "mds",
  "npy",
  "npz",
  "ragged",
  "dolma",
  "webdataset",
  "jsonl",
  "csv",
  "text",
  "tokens",
] as const;

/** `tokens` is a plain run of token ids (nanoGPT's and llm.c's `.bin`), cut at the end token. */
export type SourceFormat = (typeof sourceFormats)[number];

/** How {@link openLengths} reads what it is given. */
export interface SourceOptions {
  /** Read the file as this format, whatever its content looks like. */
  format?: SourceFormat;
  /**
   * Where the lengths are: a column (Parquet, Arrow, MDS, JSONL, CSV: a name, in CSV also a number
   * counted from 0), a dotted path to a nested field, an array of an `.npz`, a ragged column, or the
   * extension of a WebDataset member. Default: a usual name such as `length` or `num_tokens`, else a
   * list such as `input_ids`, whose sizes are the lengths.
   */
  column?: string;
  /**
   * What the numbers of an `.npy`, `.npz`, CSV or text file mean: a length each, or offsets whose
   * differences are the lengths. Default: lengths, except in a file whose name contains "offset".
   */
  values?: "lengths" | "offsets";
  /** Megatron: one length per document (default) or per sequence, where documents have several. */
  unit?: "documents" | "sequences";
  /** `tokens`: the id that ends a document. Default 50256, GPT-2's end of text. */
  endToken?: number;
  /**
   * Bytes of one token where the file does not say: `tokens` (default 2), dolma (default 2), an MDS
   * column of `bytes` (default 8, as llm-foundry writes).
   */
  tokenBytes?: 1 | 2 | 4 | 8;
}

/**
 * Document lengths (in tokens) that come from somewhere, in the corpus's order. Iterating opens the
 * files, streams the lengths and closes them; every iteration is a new pass.
 */
export interface LengthSource extends AsyncIterable<Uint32Array> {
  readonly format: SourceFormat | "memory" | "several";
  /** As the user named it. */
  readonly path: string;
  /** Number of documents, where metadata tells it; `undefined` where only a full pass does. */
  readonly total: number | undefined;
  /** What the user should know: how the lengths were found, what they cost to read. */
  readonly notes: readonly string[];
  /** Bytes read so far, opening included. */
  readonly bytesRead: number;
  /**
   * XXH64 over the lengths as little-endian u32, 16 hexadecimal digits: equal for the same lengths
   * in any format. Makes one pass.
   */
  fingerprint(): Promise<string>;
}

export interface SourceParts {
  format: LengthSource["format"];
  path: string;
  total: number | undefined;
  notes?: readonly string[];
  meter: Meter;
  /** Starts one pass. */
  chunks: () => AsyncIterable<Uint32Array>;
}

/** Makes a {@link LengthSource} of a reader's parts. */
export function lengthSource(parts: SourceParts): LengthSource {
  const { format, path, total, meter } = parts;
  if (total !== undefined && !(Number.isSafeInteger(total) && total >= 0)) {
    throw damaged(path, 0, "a number of documents", String(total));
  }
  const chunks = () => counted(parts.chunks(), path, total);
  return Object.freeze({
    format,
    path,
    total,
    notes: Object.freeze([...(parts.notes ?? [])]),
    get bytesRead() {
      return meter.bytes;
    },
    [Symbol.asyncIterator]: () => chunks()[Symbol.asyncIterator](),
    fingerprint: () => lengthsFingerprint(chunks()),
  });
}

// Metadata and data of a damaged file disagree; whoever took memory for `total` must hear of it.
async function* counted(
  chunks: AsyncIterable<Uint32Array>,
  path: string,
  total: number | undefined,
): AsyncGenerator<Uint32Array> {
  let documents = 0;
  for await (const chunk of chunks) {
    documents += chunk.length;
    if (chunk.length > 0) yield chunk;
  }
  if (total !== undefined && documents !== total) {
    throw damaged(path, 0, `${total} documents, as its metadata says`, `${documents}`);
  }
}
