import { LibraError } from "@libra/base";
import type { DataConfig } from "../config/schema.js";
import type { Corpus } from "./corpus.js";
import { cachePath, readCache, type TokenisedCorpus, writeCache } from "./corpus-cache.js";
import { joinDocuments } from "./documents.js";
import { jsonlCorpus, textCorpus } from "./file-corpus.js";
import { npmCorpus } from "./npm-corpus.js";
import { tokenize } from "./tokenize.js";
import { qwen3Tokenizer } from "./tokenizer-files.js";
import { remapIds } from "./vocabulary.js";

/** Where loading says what it does. */
export interface LoadReport {
  line(text: string): void;
  progress(done: number, total: number): void;
}

/** A corpus ready for training and the files that hold it. */
export interface LoadedCorpus extends TokenisedCorpus {
  readonly files: readonly string[];
}

/**
 * Reads the configured corpus, tokenised; from the cache when the same texts were tokenised before.
 *
 * @param cacheFolder - where the Megatron .idx/.bin pair lies
 * @throws LibraError `CONFIGURATION` when no document is there or none is short enough
 */
export async function loadCorpus(
  data: DataConfig,
  cacheFolder: string,
  report: LoadReport,
  signal?: AbortSignal,
): Promise<LoadedCorpus> {
  const { documents, notes } = readTexts(data);
  for (const note of notes) report.line(`corpus: ${note}`);
  if (documents.length === 0) throw empty(data, "holds no document");
  const tokenizer = qwen3Tokenizer();
  const { maxDocumentTokens } = data;
  const vocabularySize = data.ids === "remap" ? data.vocabularySize : Number.MAX_SAFE_INTEGER;
  const key = { documents, tokenizer: tokenizer.sha256, maxDocumentTokens, vocabularySize };
  const path = cachePath(cacheFolder, key);
  let corpus = readCache(path, (what) => report.line(`corpus: the cache is damaged: ${what}`));
  if (corpus === undefined) {
    report.line(`corpus: tokenising ${documents.length} documents with Qwen3's tokenizer`);
    const onProgress = (done: number) => report.progress(done, documents.length);
    const tokenised = await tokenize(documents, tokenizer, maxDocumentTokens, onProgress, signal);
    corpus = number(tokenised, vocabularySize);
    if (corpus.ids.length === 0) {
      throw empty(
        data,
        `has ${documents.length} documents, none with 1–${maxDocumentTokens} tokens`,
      );
    }
    writeCache(path, corpus);
  } else {
    report.line("corpus: tokenised before, read from the cache");
  }
  describe(corpus, maxDocumentTokens, report);
  return { ...corpus, files: [`${path}.idx`, `${path}.bin`] };
}

function readTexts(data: DataConfig): Corpus {
  switch (data.corpus) {
    case "npm":
      return npmCorpus(data.packages);
    case "text":
      return textCorpus(data.paths);
    case "jsonl":
      return jsonlCorpus(data.paths, data.field);
  }
}

function number(tokenised: readonly (Int32Array | null)[], cap: number): TokenisedCorpus {
  const kept = tokenised.filter((ids) => ids !== null);
  const { tokens, occurring, unknown } = remapIds(kept, cap);
  const tooLong = tokenised.length - kept.length;
  return { ...joinDocuments(kept), facts: { tokens: [...tokens], occurring, unknown, tooLong } };
}

function describe(corpus: TokenisedCorpus, maxDocumentTokens: number, report: LoadReport): void {
  const { ids, offsets, facts } = corpus;
  const documents = offsets.length - 1;
  const share = ((100 * facts.unknown) / ids.length).toFixed(1);
  report.line(
    `corpus: ${documents} documents, ${ids.length} tokens; ${facts.tooLong} documents above ${maxDocumentTokens} tokens left out`,
  );
  report.line(
    `corpus: ${facts.tokens.length} of ${facts.occurring + 1} ids kept, ${share} % of tokens are the unknown id`,
  );
}

function empty(data: DataConfig, what: string): LibraError {
  const from = data.corpus === "npm" ? data.packages : data.paths;
  return new LibraError("CONFIGURATION", `data: the corpus ${from.join(", ") || "(none)"} ${what}`);
}
