import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import { z } from "zod";
import { writeFileAtomic } from "../files/atomic.js";
import {
  hasIndexedDataset,
  readIndexedDataset,
  type TokenColumns,
  writeIndexedDataset,
} from "../files/indexed-dataset.js";
import type { SourceDocument } from "./corpus.js";

/** Everything that decides which ids a corpus becomes. */
export interface CacheKey {
  readonly documents: readonly SourceDocument[];
  readonly tokenizer: string;
  readonly maxDocumentTokens: number;
  readonly vocabularySize: number;
}

/** What the cache says beside the ids. */
interface CorpusFacts {
  /** Token ids of the tokenizer by model id; entry 0 is the unknown id. */
  readonly tokens: readonly number[];
  readonly occurring: number;
  readonly unknown: number;
  /** Documents left out for their length. */
  readonly tooLong: number;
}

const count = z.int().nonnegative();
const factsSchema = z.object({
  tokens: z.array(z.int()).min(1),
  occurring: count,
  unknown: count,
  tooLong: count,
});

/** A tokenised corpus. */
export interface TokenisedCorpus extends TokenColumns {
  readonly facts: CorpusFacts;
}

// Raised when the same texts would give other ids.
const formatVersion = 1;

/**
 * Path, without ending, of the cache of a corpus: content and settings make the name, so a changed file
 * is a new cache. Documents are kept before shortening and packing: no window, cp or alignment enters.
 */
export function cachePath(folder: string, key: CacheKey): string {
  const hash = createHash("sha256");
  const { tokenizer, maxDocumentTokens, vocabularySize } = key;
  hash.update(JSON.stringify({ formatVersion, tokenizer, maxDocumentTokens, vocabularySize }));
  for (const { name, text } of key.documents) {
    hash.update(`\n${JSON.stringify(name)} ${Buffer.byteLength(text)}\n`).update(text);
  }
  return join(folder, `corpus-${hash.digest("hex").slice(0, 16)}`);
}

/**
 * Reads a cached corpus; undefined when there is none, or none that can be used: all of it can be made
 * again from the texts.
 *
 * @param onDamage - told what is wrong with a cache that is there
 */
export function readCache(
  path: string,
  onDamage: (what: string) => void = () => {},
): TokenisedCorpus | undefined {
  if (!existsSync(`${path}.json`) || !hasIndexedDataset(path)) return undefined;
  try {
    const facts = readFacts(`${path}.json`);
    const columns = readIndexedDataset(path);
    const wrong = columns.ids.findIndex((id) => id < 0 || id >= facts.tokens.length);
    if (wrong >= 0) {
      throw new LibraError(
        "FORMAT",
        `${path}.bin: token ${wrong} is id ${columns.ids[wrong]}, there are ${facts.tokens.length} ids`,
      );
    }
    return { ...columns, facts };
  } catch (error) {
    if (!(error instanceof LibraError)) throw error;
    onDamage(error.message);
    return undefined;
  }
}

function readFacts(path: string): CorpusFacts {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new LibraError("FORMAT", `${path} is no JSON`, { cause });
  }
  const parsed = factsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LibraError("FORMAT", `${path} does not describe a corpus`);
}

/** Writes a corpus; the index comes last, so that a cache is found only when all of it is there. */
export function writeCache(path: string, corpus: TokenisedCorpus): void {
  writeFileAtomic(`${path}.json`, [`${JSON.stringify(corpus.facts)}\n`]);
  writeIndexedDataset(path, corpus);
}
