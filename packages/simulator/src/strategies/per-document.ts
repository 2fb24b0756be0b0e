import { type PoolInput, perDocument, type TilePlan, zigzag } from "@libra/scheduler";
import { zigzagRows } from "@libra/topology";

/** Plans one micro-step of one pool. */
export type PoolPlanner = (input: PoolInput) => TilePlan;

/**
 * Zigzag over every document. The ranks own the rows that they compute, so that only keys and values
 * travel, as in Megatron and WLB-LLM.
 */
export function perDocumentPlanner(chunks: number): PoolPlanner {
  const planner = perDocument({ chunks });
  return (input) => {
    const owned = input.sequences.map((cuSeqlens) => zigzagRows(cuSeqlens, input.cp));
    return planner.plan({ ...input, owned });
  };
}

/** Zigzag over the packed sequence as if it were one document, rows owned accordingly. */
export function perSequencePlanner(chunks: number): PoolPlanner {
  const planner = zigzag({ chunks });
  return (input) => {
    const owned = input.sequences.map((cuSeqlens) => zigzagRows([0, cuSeqlens.at(-1)!], input.cp));
    return planner.plan({ ...input, owned });
  };
}
