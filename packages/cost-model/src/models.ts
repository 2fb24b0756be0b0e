import { requireOneOf } from "@libra/base";
import type { AttentionHeads } from "./heads.js";

/** Sizes of a Qwen3-style transformer. */
export interface ModelShape extends AttentionHeads {
  readonly name: string;
  readonly layers: number;
  /** Width of the residual stream. */
  readonly hidden: number;
  /** Inner width of the feed-forward block; of ONE expert where there are experts. */
  readonly ffn: number;
  /** Experts of a layer; 0: dense. */
  readonly experts: number;
  /** Experts that a token visits; 1 when dense. */
  readonly activeExperts: number;
  readonly vocab: number;
  /** Whether the output projection reuses the embedding. */
  readonly tiedEmbeddings: boolean;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
}

const qwen3 = {
  headDim: 128,
  valueDim: 128,
  vocab: 151936,
  tiedEmbeddings: false,
  rmsNormEps: 1e-6,
  ropeTheta: 1e6,
};

/**
 * Presets by name. Source: the `config.json` of Qwen/Qwen3-8B, Qwen/Qwen3-30B-A3B and
 * Qwen/Qwen3-235B-A22B, and the Qwen3 technical report (arXiv 2505.09388), tables 1 and 2.
 */
export const models = Object.freeze({
  "qwen3-8b": Object.freeze<ModelShape>({
    ...qwen3,
    name: "qwen3-8b",
    layers: 36,
    hidden: 4096,
    queryHeads: 32,
    kvHeads: 8,
    ffn: 12288,
    experts: 0,
    activeExperts: 1,
  }),
  "qwen3-30b-a3b": Object.freeze<ModelShape>({
    ...qwen3,
    name: "qwen3-30b-a3b",
    layers: 48,
    hidden: 2048,
    queryHeads: 32,
    kvHeads: 4,
    ffn: 768,
    experts: 128,
    activeExperts: 8,
  }),
  "qwen3-235b-a22b": Object.freeze<ModelShape>({
    ...qwen3,
    name: "qwen3-235b-a22b",
    layers: 94,
    hidden: 4096,
    queryHeads: 64,
    kvHeads: 4,
    ffn: 1536,
    experts: 128,
    activeExperts: 8,
  }),
});

/** Name of a model preset. */
export type ModelName = keyof typeof models;

/**
 * A model preset by name.
 *
 * @throws LibraError `ARGUMENT` that lists the names
 */
export function modelByName(name: string): ModelShape {
  return models[requireOneOf(name, "model", Object.keys(models) as ModelName[])];
}
