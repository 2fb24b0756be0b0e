import { fileURLToPath } from "node:url";
import { openSafetensors } from "../../src/files/safetensors-read.js";
import { readModelConfig } from "../../src/model/hugging-face-config.js";
import { parameterShapes } from "../../src/model/parameter-shapes.js";

export const fixtureNames = ["qwen3-untied", "qwen3-tied"] as const;

export function fixtureFolder(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** Weights, two packed documents, and what torch in float32 made of them. */
export function readFixture(name: string) {
  const folder = fixtureFolder(name);
  const sizes = readModelConfig(`${folder}/config.json`);
  const model = openSafetensors(`${folder}/model.safetensors`);
  const expected = openSafetensors(`${folder}/expected.safetensors`);
  const values = (file: typeof model, key: string) => file.read(key).data;
  const weights = new Map<string, Float32Array>();
  const gradients = new Map<string, Float32Array>();
  for (const { name: key } of parameterShapes(sizes)) {
    weights.set(key, values(model, key) as Float32Array);
    gradients.set(key, values(expected, `grad.${key}`) as Float32Array);
  }
  const ids = values(expected, "ids") as Int32Array;
  const lengths = [...values(expected, "documents")];
  const logits = values(expected, "logits") as Float32Array;
  const loss = values(expected, "loss")[0]!;
  model.close();
  expected.close();
  const documents = [ids.slice(0, lengths[0]), ids.slice(lengths[0])];
  return { folder, sizes, weights, gradients, ids, lengths, documents, logits, loss };
}
