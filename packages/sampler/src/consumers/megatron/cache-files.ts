import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LibraError } from "@libra/base";
import { exists } from "../../sources/byte-file.js";
import { damaged } from "../../sources/format-error.js";

/** What Megatron wrote into a `description.txt`: the identity of the data set. */
interface Description {
  class?: unknown;
  dataset_path?: unknown;
  sequence_length?: unknown;
  datasets?: unknown;
  [key: string]: unknown;
}

/** One cache: the files that share a prefix. */
export interface CacheFiles {
  kind: "single" | "blended";
  /** Path of each file up to its `description.txt`, `shuffle_index.npy`, …, hyphen included. */
  prefix: string;
  description: Description;
}

const parts =
  /(description\.txt|document_index\.npy|sample_index\.npy|shuffle_index\.npy|dataset_index\.npy|dataset_sample_index\.npy)$/;

/**
 * Finds one cache of Megatron's data sets.
 *
 * @param cache - any of its files, their common prefix, or a folder that holds one cache to rewrite
 *   (the one blended cache, else the one single cache)
 * @throws LibraError `ARGUMENT` when there is none or a choice
 */
export async function findCache(cache: string): Promise<CacheFiles> {
  if (await exists(cache, "folder")) return findInFolder(cache);
  // The longer name ends in the shorter one.
  const name = basename(cache)
    .replace(/dataset_sample_index\.npy$/, "")
    .replace(parts, "");
  const prefix = join(dirname(cache), name === "" || name.endsWith("-") ? name : `${name}-`);
  return readCache(prefix);
}

async function findInFolder(folder: string): Promise<CacheFiles> {
  const found = await cachesIn(folder);
  const blended = found.filter(({ kind }) => kind === "blended");
  const candidates = blended.length > 0 ? blended : found;
  if (candidates.length === 1) return candidates[0]!;
  const listed = candidates.map(({ prefix }) => basename(prefix)).join(", ");
  throw new LibraError(
    "ARGUMENT",
    candidates.length === 0
      ? `${folder}: expected a cache of Megatron's GPTDataset (files …-shuffle_index.npy) but found none; run the training once, or its data preparation, so that Megatron builds it`
      : `${folder}: expected one cache but found ${candidates.length}; name one: ${listed}`,
    { details: { folder } },
  );
}

// Every cache in a folder, in the order of their names.
async function cachesIn(folder: string): Promise<CacheFiles[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith("-description.txt")).sort();
  const found: CacheFiles[] = [];
  for (const name of names) {
    const prefix = join(folder, name.slice(0, -"description.txt".length));
    if ((await kindOf(prefix)) !== undefined) found.push(await readCache(prefix));
  }
  return found;
}

async function readCache(prefix: string): Promise<CacheFiles> {
  const kind = await kindOf(prefix);
  if (kind === undefined) {
    throw new LibraError(
      "ARGUMENT",
      `${prefix}…: expected the files of a Megatron GPTDataset or BlendedDataset cache but there is neither shuffle_index.npy nor dataset_index.npy`,
      { details: { prefix } },
    );
  }
  const path = `${prefix}description.txt`;
  if (!(await exists(path))) {
    throw new LibraError("ARGUMENT", `${path}: expected the cache's description but it is missing`);
  }
  const text = await readFile(path, "utf8");
  try {
    return { kind, prefix, description: JSON.parse(text) as Description };
  } catch (error) {
    throw damaged(path, 0, "JSON", (error as Error).message, error);
  }
}

async function kindOf(prefix: string): Promise<CacheFiles["kind"] | undefined> {
  if (await exists(`${prefix}dataset_index.npy`)) return "blended";
  if (await exists(`${prefix}shuffle_index.npy`)) return "single";
  return undefined;
}

/** The caches of a blend's data sets, told by their descriptions, in the blend's order. */
export async function membersOf(blend: CacheFiles): Promise<CacheFiles[]> {
  const { datasets } = blend.description;
  if (!Array.isArray(datasets)) {
    throw damaged(`${blend.prefix}description.txt`, 0, "a list of datasets", "none");
  }
  const others = await cachesIn(dirname(blend.prefix));
  return datasets.map((description: Description) => {
    const wanted = canonical(description);
    const found = others.find((other) => canonical(other.description) === wanted);
    if (found !== undefined) return found;
    throw new LibraError(
      "ARGUMENT",
      `${blend.prefix}…: expected the cache of ${String(description.dataset_path)} in the same folder but there is none with its description`,
      { details: { dataset: description.dataset_path } },
    );
  });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
