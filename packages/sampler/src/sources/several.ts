import { expected, LibraError } from "@libra/base";
import { lengthsFingerprint } from "./fingerprint.js";
import type { LengthSource } from "./length-source.js";

/** Several sources as one: the documents of the first, then those of the second, and so on. */
export function joinSources(sources: readonly LengthSource[]): LengthSource {
  if (sources.length === 0) throw expected("at least one file or folder", "path", "none");
  if (sources.length === 1) return sources[0]!;
  const totals = sources.map(({ total }) => total);
  const total = totals.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
  const formats = new Set(sources.map(({ format }) => format));
  return Object.freeze({
    format: formats.size === 1 ? sources[0]!.format : ("several" as const),
    path: sources.map(({ path }) => path).join(", "),
    total,
    notes: Object.freeze([...new Set(sources.flatMap(({ notes }) => notes))]),
    get bytesRead() {
      return sources.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    },
    [Symbol.asyncIterator]: () => chunks(sources),
    fingerprint: () => lengthsFingerprint(chunks(sources)),
  });
}

async function* chunks(sources: readonly LengthSource[]): AsyncGenerator<Uint32Array> {
  let documents = 0;
  for (const source of sources) {
    try {
      for await (const chunk of source) {
        yield chunk;
        documents += chunk.length;
      }
    } catch (error) {
      throw documents === 0 ? error : withFirst(error, documents);
    }
  }
}

// The index that a wrong length is reported under counts inside its file.
function withFirst(error: unknown, first: number): unknown {
  if (!(error instanceof LibraError) || error.code !== "LENGTHS") return error;
  return new LibraError(error.code, `${error.message} (file's first document: ${first})`, {
    cause: error,
    details: { ...error.details, first },
  });
}
