import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import type { SamplerState } from "@libra/sampler";
import { writeFileAtomic, writeFolderAtomic } from "../files/atomic.js";
import type { NamedArray } from "../files/safetensors-read.js";
import { writeSafetensors } from "../files/safetensors-write.js";
import { loadModel, readParameters, saveModel } from "../model/hugging-face-folder.js";
import type { ModelSizes } from "../model/sizes.js";
import type { StartState } from "./start-state.js";

/** What a checkpoint holds; the model lies in it in Hugging Face layout. */
export interface Checkpoint {
  /** Optimizer steps done. */
  readonly step: number;
  readonly sampler: SamplerState;
  readonly values: ReadonlyMap<string, NamedArray>;
  readonly first: ReadonlyMap<string, NamedArray>;
  readonly second: ReadonlyMap<string, NamedArray>;
}

const prefix = "checkpoint-";

/**
 * Writes RUN/checkpoint-STEP: config.json, model.safetensors, the optimizer's moments and the
 * sampler's position. The folder appears whole or not at all.
 *
 * @returns the folder
 */
export function saveCheckpoint(
  run: string,
  sizes: ModelSizes,
  window: number,
  checkpoint: Checkpoint,
): string {
  const { step, sampler, values, first, second } = checkpoint;
  const folder = join(run, `${prefix}${step}`);
  writeFolderAtomic(folder, (partial) => {
    saveModel(partial, sizes, window, values);
    writeSafetensors(join(partial, "first-moments.safetensors"), first);
    writeSafetensors(join(partial, "second-moments.safetensors"), second);
    const json = JSON.stringify({ version: 1, step, sampler }, undefined, 2);
    writeFileAtomic(join(partial, "position.json"), [`${json}\n`]);
  });
  return folder;
}

/** The newest checkpoint of a run; undefined when it has none. */
export function newestCheckpoint(run: string): string | undefined {
  if (!existsSync(run) || !statSync(run).isDirectory()) return undefined;
  const steps = readdirSync(run)
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter(Number.isInteger);
  return steps.length === 0 ? undefined : join(run, `${prefix}${Math.max(...steps)}`);
}

/**
 * Reads a checkpoint.
 *
 * @param sizes - of the configured model: the checkpoint's must be the same
 * @throws LibraError `FORMAT` for damaged files, `STATE` when the model's sizes differ
 */
export function loadCheckpoint(folder: string, sizes: ModelSizes): StartState {
  const model = loadModel(folder);
  const keys = Object.keys(sizes) as (keyof ModelSizes)[];
  const differing = keys.filter((key) => sizes[key] !== model.sizes[key]);
  if (differing.length > 0) {
    const list = differing.map((key) => `${key} is ${sizes[key]} but was ${model.sizes[key]}`);
    throw new LibraError("STATE", `${folder} belongs to another model: ${list.join(", ")}`);
  }
  const { step, sampler } = readPosition(join(folder, "position.json"));
  return {
    values: model.values,
    first: readParameters(join(folder, "first-moments.safetensors"), sizes),
    second: readParameters(join(folder, "second-moments.safetensors"), sizes),
    step,
    sampler,
  };
}

function readPosition(path: string): { step: number; sampler: SamplerState } {
  let value: { version?: unknown; step?: unknown; sampler?: unknown };
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new LibraError("FORMAT", `Cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  if (value?.version !== 1 || !Number.isSafeInteger(value.step)) {
    throw new LibraError("FORMAT", `${path} is no position of version 1`);
  }
  // The sampler checks its own state when it restores it.
  return { step: value.step as number, sampler: value.sampler as SamplerState };
}
