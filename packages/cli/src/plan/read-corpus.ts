import { LibraError } from "@libra/base";
import { lengthsFingerprint, openLengths, readLengths, type SourceOptions } from "@libra/sampler";
import type { Io } from "../io.js";
import { checkSource } from "./check-source.js";
import type { PlanOptions } from "./plan-options.js";
import { progressOf } from "./progress.js";
import type { PlanSummary } from "./summary.js";

/** Reads all lengths and says what they are. */
export async function readCorpus(
  paths: readonly string[],
  options: PlanOptions,
  io: Io,
): Promise<{ lengths: Uint32Array; corpus: PlanSummary["corpus"] }> {
  const source = await openLengths(paths, sourceOptions(options));
  checkSource(source, options);
  const progress = progressOf("documents", io);
  let lengths: Uint32Array;
  try {
    lengths = await readLengths(source, { onProgress: progress.update });
  } finally {
    progress.stop();
  }
  if (lengths.length === 0) {
    throw new LibraError("LENGTHS", `${source.path}: there is no document in it`);
  }
  let tokens = 0;
  let longest = 0;
  for (const length of lengths) {
    tokens += length;
    if (length > longest) longest = length;
  }
  const { path, format, bytesRead, notes } = source;
  const fingerprint = await lengthsFingerprint(lengths);
  const documents = lengths.length;
  return {
    lengths,
    corpus: { path, format, documents, tokens, longest, fingerprint, bytesRead, notes },
  };
}

function sourceOptions(options: PlanOptions): SourceOptions {
  const { format, column, values, unit, endToken, tokenBytes } = options;
  const given = Object.entries({ format, column, values, unit, endToken, tokenBytes });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as SourceOptions;
}
