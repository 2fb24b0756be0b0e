import type { Pass } from "./flops.js";
import type { ModelShape } from "./models.js";

/** Elements of one token that operators over rows read and write, each tensor once. */
export interface RowElements {
  /** One layer: its two norms, the norms and rotations of q and k, the gated activation. */
  readonly layer: number;
  /** One layer's attention, beside its kernels: backward's delta and the zeros that it adds to. */
  readonly attention: number;
  /** Embedding, last norm and loss, all together. */
  readonly ends: number;
}

/** Sizes of a model that rows have. */
export type RowWidths = Pick<
  ModelShape,
  "hidden" | "queryHeads" | "kvHeads" | "headDim" | "valueDim" | "ffn" | "activeExperts" | "vocab"
>;

/**
 * What norms, rotations, activations and the loss move through memory for one token; residual sums
 * belong to the matrix products that make them. Divided by the rate at which a device streams rows
 * this is their time. Norms read and write a row in forward, and read two and write one in backward
 * (the residual's gradient is a third that they read); experts count as often as a token visits one.
 */
export function rowElementsPerToken(pass: Pass, model: RowWidths): RowElements {
  const { hidden, queryHeads, kvHeads, headDim, valueDim, ffn, activeExperts, vocab } = model;
  const rotated = (queryHeads + kvHeads) * headDim;
  const inner = ffn * activeExperts;
  const output = queryHeads * valueDim;
  if (pass === "forward") {
    return {
      layer: 2 * 2 * hidden + (2 + 2) * rotated + 3 * inner,
      attention: 0,
      ends: 2 * hidden + 2 * hidden + vocab,
    };
  }
  return {
    layer: 2 * 4 * hidden + (3 + 2) * rotated + 5 * inner,
    attention: 2 * output + rotated + kvHeads * valueDim,
    ends: 3 * hidden + 3 * hidden + 2 * vocab,
  };
}
