import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { LibraError } from "@libra/base";
import type { SourceDocument } from "./corpus.js";
import type { TokenizerFiles } from "./tokenizer-files.js";

/** Enough for the worker never to wait for the next text. */
const inFlight = 4;

interface Answer {
  readonly index: number;
  /** null when the document has more tokens than the limit */
  readonly ids: Int32Array | null;
}

/**
 * Tokenises documents in a worker thread.
 *
 * @param maxDocumentTokens - documents with more tokens give null
 * @param onProgress - called with the number of documents done
 * @param signal - stops it with LibraError `ABORTED`
 * @returns the ids of each document, in order; null for one that is too long
 */
export function tokenize(
  documents: readonly SourceDocument[],
  tokenizer: TokenizerFiles,
  maxDocumentTokens: number,
  onProgress: (done: number) => void,
  signal?: AbortSignal,
): Promise<(Int32Array | null)[]> {
  if (documents.length === 0) return Promise.resolve([]);
  const worker = new Worker(workerUrl(), { workerData: { ...tokenizer, maxDocumentTokens } });
  return new Promise<(Int32Array | null)[]>((resolve, reject) => {
    const results: (Int32Array | null)[] = new Array(documents.length).fill(null);
    let sent = 0;
    let done = 0;
    const send = (): void => {
      if (sent >= documents.length) return;
      worker.postMessage({ index: sent, text: documents[sent]!.text });
      sent += 1;
    };
    const stop = (): void => {
      const reason: unknown = signal?.reason;
      const why = reason instanceof Error ? reason.message : String(reason);
      reject(new LibraError("ABORTED", `Tokenising was aborted: ${why}`));
    };
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    worker.on("message", ({ index, ids }: Answer) => {
      results[index] = ids;
      done += 1;
      onProgress(done);
      if (done === documents.length) resolve(results);
      else send();
    });
    worker.on("error", (cause) => {
      reject(new LibraError("FORMAT", `Tokenising failed: ${cause.message}`, { cause }));
    });
    worker.on("exit", (code) => {
      reject(new LibraError("INTERNAL", `The tokenizer's thread ended early with code ${code}`));
    });
    for (let i = 0; i < inFlight; i += 1) send();
  }).finally(() => worker.terminate());
}

// This module lies beside the worker in the sources, and one folder above it once bundled.
function workerUrl(): URL {
  const beside = new URL("./tokenize-worker.mjs", import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return new URL("./data/tokenize-worker.js", import.meta.url);
}
