import { type ModelShape, models } from "@libra/cost-model";
import { CheckedRecord, parseYaml } from "./checked-record.js";
import { orFile, unknownName } from "./cluster.js";

/** Names of the model presets. */
export const modelNames: readonly string[] = Object.freeze(Object.keys(models));

const keys = [
  "name",
  "base",
  "layers",
  "hidden",
  "queryHeads",
  "kvHeads",
  "headDim",
  "valueDim",
  "ffn",
  "experts",
  "activeExperts",
  "vocab",
  "tiedEmbeddings",
];

/**
 * A model preset.
 *
 * @throws LibraError `ARGUMENT` that lists the presets, nearest first
 */
export function presetModel(name: string): ModelShape {
  const preset = models[name as keyof typeof models];
  if (preset === undefined) throw unknownName("model", name, modelNames, orFile);
  return preset;
}

/**
 * A model described in YAML: the sizes of {@link ModelShape}. With `base` (a preset) only what
 * differs need be there.
 *
 * @throws LibraError `FORMAT` for text that is no YAML, `CONFIGURATION` with the path of the first
 *   size that is missing, not a positive whole number, or unknown
 */
export function readModel(text: string): ModelShape {
  const root = new CheckedRecord(parseYaml(text, "The model file"), "model", keys);
  const base = root.has("base") ? presetModel(root.text("base")) : undefined;
  const size = (key: string, fallback?: number, min = 1) =>
    root.number(key, { min, integer: true }, fallback);
  const queryHeads = size("queryHeads", base?.queryHeads);
  const headDim = size("headDim", base?.headDim);
  const kvHeads = size("kvHeads", base?.kvHeads);
  if (queryHeads % kvHeads !== 0) {
    throw root.refuse("kvHeads", `a divisor of the ${queryHeads} query heads`);
  }
  const experts = size("experts", base?.experts ?? 0, 0);
  return Object.freeze({
    name: root.text("name", base ? `custom ${base.name}` : "custom"),
    layers: size("layers", base?.layers),
    hidden: size("hidden", base?.hidden),
    queryHeads,
    kvHeads,
    headDim,
    valueDim: size("valueDim", base?.valueDim ?? headDim),
    ffn: size("ffn", base?.ffn),
    experts,
    activeExperts: root.number(
      "activeExperts",
      { min: 1, max: Math.max(1, experts), integer: true },
      base?.activeExperts ?? (experts === 0 ? 1 : undefined),
    ),
    vocab: size("vocab", base?.vocab),
    tiedEmbeddings: root.flag("tiedEmbeddings", base?.tiedEmbeddings ?? false),
    rmsNormEps: 1e-6,
    ropeTheta: 1e6,
  });
}
