import { type PoolInput, perDocument, type TilePlan, zigzag } from "@libra/scheduler";
import { zigzagRows } from "@libra/topology";

const fine = perDocument();
const coarse = zigzag();

/**
 * Zigzag over every document. The ranks own the rows that they compute, so that only keys and values
 * travel, as in Megatron and WLB-LLM.
 */
export function planPerDocument(input: PoolInput): TilePlan {
  const owned = input.sequences.map((cuSeqlens) => zigzagRows(cuSeqlens, input.cp));
  return fine.plan({ ...input, owned });
}

/** Zigzag over the packed sequence as if it were one document, rows owned accordingly. */
export function planPerSequence(input: PoolInput): TilePlan {
  const owned = input.sequences.map((cuSeqlens) => zigzagRows([0, cuSeqlens.at(-1)!], input.cp));
  return coarse.plan({ ...input, owned });
}
