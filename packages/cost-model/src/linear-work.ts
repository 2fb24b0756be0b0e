import { requireNumber } from "@libra/base";
import type { Pass } from "./flops.js";
import type { ModelShape } from "./models.js";

/** Forward FLOPs of one token in the whole model, attention itself left out. */
export interface LinearFlops {
  /** Query, key, value and output projections. */
  readonly projections: number;
  /** Feed-forward blocks; active experts only. */
  readonly feedForward: number;
  /** Expert router; 0 when dense. */
  readonly router: number;
  /** Output projection to the vocabulary. */
  readonly head: number;
  readonly total: number;
}

/** Forward FLOPs of one token by kind of linear operator: 2 × inputs × outputs each. */
export function linearFlopsPerToken(model: ModelShape): LinearFlops {
  const { layers, hidden, queryHeads, kvHeads, headDim, valueDim } = model;
  const query = queryHeads * headDim;
  const keyValue = kvHeads * (headDim + valueDim);
  const output = queryHeads * valueDim;
  const projections = layers * 2 * hidden * (query + keyValue + output);
  const feedForward = layers * 2 * 3 * hidden * model.ffn * model.activeExperts;
  const router = layers * 2 * hidden * model.experts;
  const head = 2 * hidden * model.vocab;
  return {
    projections,
    feedForward,
    router,
    head,
    total: projections + feedForward + router + head,
  };
}

/** FLOPs of all linear operators over `tokens` tokens; backward is twice forward. */
export function linearFlops(pass: Pass, model: ModelShape, tokens: number): number {
  return (pass === "forward" ? 1 : 2) * linearFlopsPerToken(model).total * tokens;
}

/**
 * Seconds of all linear operators over `tokens` tokens.
 *
 * @param rate - FLOPs per second that the device reaches in matrix products
 */
export function linearTime(pass: Pass, model: ModelShape, tokens: number, rate: number): number {
  return linearFlops(pass, model, tokens) / requireNumber(rate, "rate", Number.MIN_VALUE);
}

/**
 * Document length in tokens at which a document's causal attention FLOPs equal the FLOPs of the
 * layers' linear operators (projections and feed-forward; router and vocabulary left out). Longer
 * documents spend most of their time in attention. 47.1K for Qwen3-8B.
 */
export function breakEvenLength(model: ModelShape): number {
  const { projections, feedForward } = linearFlopsPerToken(model);
  // A token of a document of L tokens sees (L + 1)/2 keys on average, 2(D + Dv) FLOPs each.
  const flopsPerKey = model.layers * model.queryHeads * 2 * (model.headDim + model.valueDim);
  return Math.round((2 * (projections + feedForward)) / flopsPerKey - 1);
}
