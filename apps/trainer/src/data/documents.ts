import type { TokenColumns } from "../files/indexed-dataset.js";

/** Documents as the model reads them. */
export interface Documents extends TokenColumns {
  /** Number of model ids, the unknown id included. */
  readonly vocabulary: number;
}

/** Joins documents into columns. */
export function joinDocuments(parts: readonly Int32Array[]): TokenColumns {
  const offsets = new Float64Array(parts.length + 1);
  for (const [d, part] of parts.entries()) offsets[d + 1] = offsets[d]! + part.length;
  const ids = new Int32Array(offsets[parts.length]!);
  for (const [d, part] of parts.entries()) ids.set(part, offsets[d]!);
  return { ids, offsets };
}

/** Lengths in tokens, one per document. */
export function lengthsOf({ offsets }: TokenColumns): Uint32Array {
  return Uint32Array.from({ length: offsets.length - 1 }, (_, d) => offsets[d + 1]! - offsets[d]!);
}

/**
 * Keeps the first `scale` part of every document, at least one token, so that a small window meets
 * the length shape that a large window meets in whole documents.
 *
 * @param scale - above 0, at most 1
 */
export function shortenDocuments(documents: Documents, scale: number): Documents {
  if (scale === 1) return documents;
  const { ids, offsets, vocabulary } = documents;
  const parts = Array.from({ length: offsets.length - 1 }, (_, d) => {
    const length = offsets[d + 1]! - offsets[d]!;
    const kept = Math.min(length, Math.max(1, Math.round(length * scale)));
    return ids.subarray(offsets[d]!, offsets[d]! + kept);
  });
  return { ...joinDocuments(parts), vocabulary };
}
