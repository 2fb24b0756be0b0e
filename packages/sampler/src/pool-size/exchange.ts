import { requireInteger } from "@libra/base";
import { type AttentionHeads, type Links, rankBytes, transferTime } from "@libra/cost-model";

/** What an estimate of the exchange needs to know. */
export interface ExchangeOptions {
  readonly heads: AttentionHeads;
  readonly links: Links;
  readonly ranksPerNode: number;
  /** Bytes of one element on the wire and in memory; default 2. */
  readonly elementBytes?: number;
  /** Bytes that one owned token keeps besides the exchange; default 0. */
  readonly bytesPerToken?: number;
}

/** Means over the ranks of a pool, of one layer's forward pass in one micro-step. */
export interface ExchangeEstimate {
  /** Bytes that a rank sends to other nodes because work moves between replicas. */
  readonly interNodeBytes: number;
  readonly interNodeSeconds: number;
  /** Owned tokens and resident remote queries, outputs, keys and values. */
  readonly memoryBytes: number;
}

/**
 * A first estimate from the share of work that moves: each moved (row, head) of Q and O once, its
 * keys and values once; replicas in the same node as often as a uniform choice would meet them. The
 * tile planner's own report is exact; the busiest rank has about twice the mean.
 *
 * @param moved - share of the pool's work that moves between replicas
 * @param cp - ranks that share one packed sequence
 */
export function estimateExchange(
  moved: number,
  window: number,
  poolSize: number,
  cp: number,
  options: ExchangeOptions,
): ExchangeEstimate {
  const { heads, links, elementBytes = 2, bytesPerToken = 0 } = options;
  const ranksPerNode = requireInteger(options.ranksPerNode, "ranksPerNode", 1);
  const tokens = window / cp;
  const remoteQueries = moved * tokens * heads.queryHeads;
  const remoteKeys = moved * tokens * heads.kvHeads;
  const groupsPerNode = Math.max(1, Math.floor(ranksPerNode / cp));
  const away = poolSize <= groupsPerNode ? 0 : (poolSize - groupsPerNode) / (poolSize - 1);
  const width = (heads.headDim + heads.valueDim) * elementBytes;
  const interNodeBytes = away * (remoteQueries + remoteKeys) * width;
  return Object.freeze({
    interNodeBytes,
    interNodeSeconds: transferTime(links[2], interNodeBytes),
    memoryBytes: rankBytes(
      tokens,
      bytesPerToken,
      heads,
      { remoteQueries, remoteKeys },
      elementBytes,
    ),
  });
}
