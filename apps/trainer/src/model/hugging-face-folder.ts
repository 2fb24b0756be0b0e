import { join } from "node:path";
import { LibraError } from "@libra/base";
import { writeFileAtomic } from "../files/atomic.js";
import { type NamedArray, openSafetensors } from "../files/safetensors-read.js";
import { writeSafetensors } from "../files/safetensors-write.js";
import { modelConfigJson, readModelConfig } from "./hugging-face-config.js";
import { headName, parameterShapes } from "./parameter-shapes.js";
import type { ModelSizes } from "./sizes.js";

/** Sizes and values of a model. */
export interface LoadedModel {
  readonly sizes: ModelSizes;
  readonly values: Map<string, Float32Array>;
}

/**
 * Reads config.json and model.safetensors. Every parameter must be there in its shape; a tensor that
 * the model does not know is an error too, except a tied head's copy of the embedding.
 *
 * @throws LibraError `FORMAT` or `UNSUPPORTED` that names the file and, where there is one, the tensor
 */
export function loadModel(folder: string): LoadedModel {
  const sizes = readModelConfig(join(folder, "config.json"));
  return { sizes, values: readParameters(join(folder, "model.safetensors"), sizes) };
}

/** Reads one float32 value column per parameter; used for models and for optimizer moments. */
export function readParameters(path: string, sizes: ModelSizes): Map<string, Float32Array> {
  const file = openSafetensors(path);
  try {
    const shapes = parameterShapes(sizes);
    const known = new Set(shapes.map(({ name }) => name));
    if (sizes.tieWordEmbeddings) known.add(headName);
    const unknown = [...file.header.tensors.keys()].filter((name) => !known.has(name));
    if (unknown.length > 0) {
      throw new LibraError(
        "FORMAT",
        `${path} holds tensors that a Qwen3 model of these sizes has not: ${unknown.join(", ")}`,
      );
    }
    return new Map(
      shapes.map(({ name, shape }) => [name, Float32Array.from(file.read(name, shape).data)]),
    );
  } finally {
    file.close();
  }
}

/**
 * Writes config.json and model.safetensors so that Hugging Face's loaders read them.
 *
 * @param window - longest document the model is meant for
 */
export function saveModel(
  folder: string,
  sizes: ModelSizes,
  window: number,
  values: ReadonlyMap<string, NamedArray>,
): void {
  const json = JSON.stringify(modelConfigJson(sizes, window), undefined, 2);
  writeFileAtomic(join(folder, "config.json"), [`${json}\n`]);
  writeSafetensors(join(folder, "model.safetensors"), values);
}
