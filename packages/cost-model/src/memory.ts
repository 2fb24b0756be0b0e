import { requireNumber } from "@libra/base";
import type { AttentionHeads } from "./heads.js";
import type { ModelShape } from "./models.js";

/** Parameters of a model: all experts, norms and both embeddings. */
export function parameterCount(model: ModelShape): number {
  const { layers, hidden, queryHeads, kvHeads, headDim, valueDim, ffn, experts } = model;
  const attention =
    hidden * (queryHeads * headDim + kvHeads * (headDim + valueDim)) +
    queryHeads * valueDim * hidden +
    2 * headDim;
  const feedForward = 3 * hidden * ffn * Math.max(1, experts) + hidden * experts;
  const embeddings = model.vocab * hidden * (model.tiedEmbeddings ? 1 : 2);
  return layers * (attention + feedForward + 2 * hidden) + hidden + embeddings;
}

/**
 * Bytes of activations that one token keeps for backward in all layers, nothing recomputed: the two
 * norms' inputs and outputs, q and k before and after their norm and rotation, v, the attention
 * output, and gate, up and product of the feed-forward block.
 *
 * @param elementBytes - bytes of one element of the model's dtype
 */
export function activationBytesPerToken(model: ModelShape, elementBytes: number): number {
  const { layers, hidden, queryHeads, kvHeads, headDim, valueDim, ffn, activeExperts } = model;
  const elements =
    4 * hidden +
    2 * (queryHeads + kvHeads) * headDim +
    (queryHeads + kvHeads) * valueDim +
    3 * ffn * activeExperts;
  return layers * elements * requireNumber(elementBytes, "elementBytes", 1);
}

/** What one rank holds in attention of one layer. */
export interface ResidentRows {
  /** (row, query head) vectors that came from other ranks: q and o of foreign tiles. */
  readonly remoteQueries: number;
  /** (row, KV head) vectors that came from other ranks: k and v of its tiles. */
  readonly remoteKeys: number;
}

/** Bytes of resident remote vectors: q and o of width D + Dv, k and v of width D + Dv. */
export function residentBytes(
  heads: Pick<AttentionHeads, "headDim" | "valueDim">,
  resident: ResidentRows,
  elementBytes: number,
): number {
  const width = heads.headDim + heads.valueDim;
  return (resident.remoteQueries + resident.remoteKeys) * width * elementBytes;
}

/**
 * Bytes of a rank besides parameters and optimizer state: `tokens × bytes per token + resident
 * remote vectors`.
 *
 * @param tokens - tokens that the rank owns
 * @param bytesPerToken - see {@link activationBytesPerToken}
 */
export function rankBytes(
  tokens: number,
  bytesPerToken: number,
  heads: Pick<AttentionHeads, "headDim" | "valueDim">,
  resident: ResidentRows,
  elementBytes: number,
): number {
  return tokens * bytesPerToken + residentBytes(heads, resident, elementBytes);
}
