import { LibraError } from "@libra/base";
import type { AttentionHeads } from "@libra/cost-model";

/** Sizes of a Qwen3 dense model. */
export interface ModelSizes {
  readonly layers: number;
  readonly hidden: number;
  readonly queryHeads: number;
  readonly kvHeads: number;
  /** Elements of one query or key vector; also of one value vector. */
  readonly headDim: number;
  /** Width of the feed-forward layer. */
  readonly intermediate: number;
  readonly vocabulary: number;
  readonly ropeTheta: number;
  readonly normEpsilon: number;
  /** Whether the head shares the embedding's weight. */
  readonly tieWordEmbeddings: boolean;
}

/** The model's heads as the scheduler and the attention know them. */
export function headsOf(sizes: ModelSizes): AttentionHeads {
  const { queryHeads, kvHeads, headDim } = sizes;
  return { queryHeads, kvHeads, headDim, valueDim: headDim };
}

/**
 * Refuses sizes that no Qwen3 model has.
 *
 * @param where - how the user knows the sizes: a file or "model"
 * @throws LibraError `CONFIGURATION`
 */
export function checkSizes(sizes: ModelSizes, where: string): void {
  const { queryHeads, kvHeads, headDim } = sizes;
  if (queryHeads % kvHeads !== 0) {
    const divisors = Array.from({ length: queryHeads }, (_, i) => i + 1).filter(
      (n) => queryHeads % n === 0,
    );
    throw new LibraError(
      "CONFIGURATION",
      `${where}: ${queryHeads} query heads are not a multiple of ${kvHeads} KV heads; KV heads that fit: ${divisors.join(", ")}`,
    );
  }
  if (headDim % 2 !== 0) {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: the rotary embedding turns pairs, so the head dim must be even but is ${headDim}`,
    );
  }
}
