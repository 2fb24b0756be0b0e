import { isAbsolute, join } from "node:path";
import { LibraError } from "@libra/base";
import { exists } from "../../sources/byte-file.js";
import { type CacheFiles, membersOf } from "./cache-files.js";
import { type GptSamples, misfit, openGptSamples } from "./gpt-samples.js";
import { type NpyColumn, readNpyColumn } from "./npy-column.js";
import type { AddSegments } from "./place-batches.js";
import { keptPath } from "./write-columns.js";

/** What is rewritten: arrays that Megatron reads entry by entry, in order. */
export interface RewriteTarget {
  columns: NpyColumn[];
  /** Segments of the sample at one entry of the columns. */
  segments: AddSegments;
  /** Tokens of a sample. */
  window: number;
}

export interface DataPlace {
  readonly data?: string;
  readonly dataRoot?: string;
}

/**
 * Opens the arrays of a cache in the order that a rewrite starts from: for the consumed samples the
 * present one, for the rest Megatron's own.
 *
 * @throws LibraError `MISMATCH` when something does not fit
 */
export async function openTarget(
  cache: CacheFiles,
  consumed: number,
  place: DataPlace,
): Promise<RewriteTarget> {
  if (cache.kind === "single") {
    const [shuffle] = await openColumns([`${cache.prefix}shuffle_index.npy`], consumed);
    const samples = await openGptSamples(cache, await dataOf(cache, place), shuffle!);
    return { columns: [shuffle!], segments: samples.segments, window: samples.window };
  }
  const { dataRoot } = place;
  const datasets: GptSamples[] = [];
  for (const member of await membersOf(cache)) {
    const data = await dataOf(member, dataRoot === undefined ? {} : { dataRoot });
    const shuffle = await readNpyColumn(`${member.prefix}shuffle_index.npy`, 1);
    datasets.push(await openGptSamples(member, data, shuffle));
  }
  const names = ["dataset_index.npy", "dataset_sample_index.npy"];
  const columns = await openColumns(
    names.map((name) => cache.prefix + name),
    consumed,
  );
  const [index, sampleIndex] = columns as [NpyColumn, NpyColumn];
  checkBlend(cache, datasets, index, sampleIndex);
  return {
    columns,
    window: datasets[0]!.window,
    segments: (position, add) =>
      datasets[index.values[position]!]!.segments(sampleIndex.values[position]!, add),
  };
}

/** `.idx` of a data set: asked for, or its `dataset_path`. */
async function dataOf(cache: CacheFiles, { data, dataRoot }: DataPlace): Promise<string> {
  if (data !== undefined) return data;
  const named = String(cache.description.dataset_path);
  const path = dataRoot === undefined || isAbsolute(named) ? named : join(dataRoot, named);
  if ((await exists(path)) || (await exists(`${path}.idx`))) return path;
  throw new LibraError(
    "ARGUMENT",
    `${cache.prefix}description.txt: expected its dataset_path ${path}.idx but there is no such file; name the .idx with data (--data), or the folder that dataset_path starts from with dataRoot (--data-root)`,
    { details: { path } },
  );
}

async function openColumns(paths: readonly string[], consumed: number): Promise<NpyColumn[]> {
  const present: NpyColumn[] = [];
  const original: NpyColumn[] = [];
  for (const path of paths) {
    const now = await readNpyColumn(path, 1);
    const kept = keptPath(path);
    present.push(now);
    original.push((await exists(kept)) ? { ...(await readNpyColumn(kept, 1)), path } : now);
  }
  for (const [i, { values, path }] of original.entries()) {
    if (values.length === present[i]!.values.length) continue;
    throw misfit(path, "it has another number of entries than the file kept beside it");
  }
  if (consumed > 0) keepConsumed(original, present, consumed);
  return original;
}

// Rewrites move samples inside global batches only, so at a batch's end both orders have given out
// the same samples; if they have not, going on would repeat some and lose others.
function keepConsumed(
  original: readonly NpyColumn[],
  present: readonly NpyColumn[],
  consumed: number,
): void {
  const was = keys(original, consumed);
  const is = keys(present, consumed);
  if (was.some((key, i) => key !== is[i])) {
    throw misfit(
      original[0]!.path,
      `the first ${consumed} samples are not whole global batches of the order it has now`,
    );
  }
  for (const [i, column] of original.entries()) {
    column.values.set(present[i]!.values.subarray(0, consumed));
  }
}

function keys(columns: readonly NpyColumn[], count: number): Float64Array {
  const [first, second] = columns;
  const key = (i: number) =>
    second === undefined ? first!.values[i]! : second.values[i]! * 2 ** 15 + first!.values[i]!;
  return Float64Array.from({ length: Math.min(count, first!.values.length) }, (_, i) =>
    key(i),
  ).sort();
}

function checkBlend(
  cache: CacheFiles,
  datasets: readonly GptSamples[],
  index: NpyColumn,
  sampleIndex: NpyColumn,
): void {
  if (datasets.length === 0) throw misfit(cache.prefix, "its description lists no data sets");
  if (index.values.length !== sampleIndex.values.length) {
    const sizes = `${index.values.length} and ${sampleIndex.values.length}`;
    throw misfit(cache.prefix, `dataset_index and dataset_sample_index have ${sizes} entries`);
  }
  if (datasets.some(({ window }) => window !== datasets[0]!.window)) {
    throw misfit(cache.prefix, "its data sets have different sequence_lengths");
  }
  for (let i = 0; i < index.values.length; i++) {
    const dataset = datasets[index.values[i]!];
    const sample = sampleIndex.values[i]!;
    if (dataset !== undefined && sample >= 0 && sample < dataset.shuffle.values.length) continue;
    throw misfit(cache.prefix, `entry ${i} names sample ${sample} of data set ${index.values[i]}`);
  }
}
