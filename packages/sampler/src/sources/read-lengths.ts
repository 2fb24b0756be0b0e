import { expected } from "@libra/base";
import type { Meter } from "./byte-file.js";
import { checkedLengths, chunkDocuments } from "./checked-lengths.js";
import { gather } from "./gather.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { openLengths } from "./open-lengths.js";

/** Options of {@link readLengths}. */
export interface ReadOptions extends SourceOptions {
  /** Called after each chunk, for progress. `total` is `undefined` where no metadata tells it. */
  onProgress?: (documents: number, total: number | undefined) => void;
}

/**
 * All lengths of a source in one array: 4 bytes a document.
 *
 * @param source - an open source, or what {@link openLengths} takes
 * @returns lengths in tokens, in the corpus's order
 * @throws as {@link openLengths}
 */
export async function readLengths(
  source: LengthSource | string | readonly string[],
  options: ReadOptions = {},
): Promise<Uint32Array> {
  const isPath = typeof source === "string" || Array.isArray(source);
  const opened = isPath ? await openLengths(source as string, options) : (source as LengthSource);
  const report = options.onProgress;
  return gather(opened, opened.total, report && ((documents) => report(documents, opened.total)));
}

/**
 * Lengths that are already in memory as a {@link LengthSource}.
 *
 * @param lengths - integers from 0 to 2^32 − 1
 * @throws LibraError `LENGTHS` that names the first wrong one
 */
export function lengthsInMemory(lengths: ArrayLike<number>, name = "lengths"): LengthSource {
  if (typeof lengths?.length !== "number") throw expected("a list of lengths", name, lengths);
  const meter: Meter = { bytes: 0 };
  const checked = lengths instanceof Uint32Array ? lengths : checkedLengths(lengths, 0, name);
  return lengthSource({
    format: "memory",
    path: name,
    total: checked.length,
    meter,
    chunks: async function* () {
      for (let start = 0; start < checked.length; start += chunkDocuments) {
        yield checked.subarray(start, start + chunkDocuments);
      }
    },
  });
}
