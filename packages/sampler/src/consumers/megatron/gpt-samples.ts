import { LibraError } from "@libra/base";
import { readLengths } from "../../sources/read-lengths.js";
import type { CacheFiles } from "./cache-files.js";
import { type NpyColumn, readNpyColumn } from "./npy-column.js";

/** The samples of one GPTDataset, as its cache and its `.idx` tell them. */
export interface GptSamples {
  cache: CacheFiles;
  shuffle: NpyColumn;
  /** Tokens of a sample. */
  window: number;
  /** Calls `add` with sequence, first token and tokens of each segment of the sample at `position`
   * of the shuffled order. */
  segments(position: number, add: (document: number, start: number, length: number) => void): void;
}

/**
 * Opens the samples of one cache and checks that its arrays fit each other and the data.
 *
 * @param data - the `.idx` file or prefix of the data set
 * @param shuffle - the cache's shuffle_index, as it stands or as it once was
 * @throws LibraError `MISMATCH` that says what does not fit
 */
export async function openGptSamples(
  cache: CacheFiles,
  data: string,
  shuffle: NpyColumn,
): Promise<GptSamples> {
  const { prefix, description } = cache;
  const window = description.sequence_length;
  if (typeof window !== "number" || !Number.isSafeInteger(window) || window < 1) {
    throw misfit(prefix, "its description has no sequence_length: it is no cache of a GPTDataset");
  }
  const documents = await readNpyColumn(`${prefix}document_index.npy`, 1);
  const samples = await readNpyColumn(`${prefix}sample_index.npy`, 2);
  const lengths = await readLengths(data, { format: "megatron", unit: "sequences" });
  checkArrays(prefix, documents, samples, shuffle, lengths, data);
  return {
    cache,
    shuffle,
    window,
    segments: (position, add) => {
      const sample = shuffle.values[position]!;
      const total = walk(sample, documents.values, samples.values, lengths, add);
      if (total === window) return;
      // Only a validation set may end in a shorter sample.
      if (total < window && sample === shuffle.values.length - 1) return;
      throw misfit(
        prefix,
        `sample ${sample} has ${total} tokens of ${data}, not sequence_length ${window}: the cache was built from other data`,
      );
    },
  };
}

// A sample runs from (document, offset) to the next sample's; its one token more, the last target,
// is no input.
function walk(
  sample: number,
  documents: ArrayLike<number>,
  samples: ArrayLike<number>,
  lengths: Uint32Array,
  add: (document: number, start: number, length: number) => void,
): number {
  const first = samples[2 * sample]!;
  const last = samples[2 * sample + 2]!;
  let total = 0;
  for (let index = first; index <= last; index++) {
    const document = documents[index];
    if (document === undefined) break;
    const start = index === first ? samples[2 * sample + 1]! : 0;
    const end = index === last ? samples[2 * sample + 3]! : lengths[document]!;
    if (end <= start) continue;
    add(document, start, end - start);
    total += end - start;
  }
  return total;
}

function checkArrays(
  prefix: string,
  documents: NpyColumn,
  samples: NpyColumn,
  shuffle: NpyColumn,
  lengths: Uint32Array,
  data: string,
): void {
  if (samples.shape[1] !== 2 || samples.shape[0]! < 2) {
    throw misfit(prefix, `sample_index has the shape (${samples.shape.join(", ")}), not (n, 2)`);
  }
  const count = samples.shape[0]! - 1;
  if (shuffle.values.length !== count) {
    const found = `${shuffle.values.length} entries for ${count} samples`;
    throw misfit(prefix, `shuffle_index has ${found}`);
  }
  requirePermutation(shuffle.values, `${prefix}shuffle_index.npy`);
  for (let i = 0; i < documents.values.length; i++) {
    const document = documents.values[i]!;
    if (document >= 0 && document < lengths.length) continue;
    throw misfit(
      prefix,
      `document_index names sequence ${document}, but ${data} has ${lengths.length}`,
    );
  }
  for (let i = 0; i <= count; i++) {
    const index = samples.values[2 * i]!;
    const before = i === 0 ? 0 : samples.values[2 * i - 2]!;
    if (index >= before && index <= documents.values.length && samples.values[2 * i + 1]! >= 0) {
      continue;
    }
    throw misfit(prefix, `sample_index is out of order or range at entry ${i}`);
  }
}

// The values must be 0 … n − 1 in some order.
function requirePermutation(values: ArrayLike<number>, path: string): void {
  const seen = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (seen[value] === 0) seen[value] = 1;
    else throw misfit(path, `it is no permutation: entry ${i} is ${value}`);
  }
}

/** The refusal of a cache. */
export function misfit(path: string, reason: string): LibraError {
  return new LibraError("MISMATCH", `${path}: this cache does not fit: ${reason}`, {
    details: { path },
  });
}
