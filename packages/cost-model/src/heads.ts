import { expected, requireInteger } from "@libra/base";

/** Head counts and widths of one attention layer. */
export interface AttentionHeads {
  /** Query heads `Hq`; a multiple of `kvHeads`. */
  queryHeads: number;
  /** Key/value heads `Hkv`; query heads `[g·Hq/Hkv, (g+1)·Hq/Hkv)` read KV head `g`. */
  kvHeads: number;
  /** Elements `D` of one query or key vector. */
  headDim: number;
  /** Elements `Dv` of one value or output vector. */
  valueDim: number;
}

/**
 * Checks head counts and widths.
 *
 * @returns a frozen copy
 * @throws LibraError `ARGUMENT` for a value that is not a positive integer, or query heads that are
 *   not a multiple of KV heads
 */
export function requireHeads(heads: AttentionHeads): AttentionHeads {
  const queryHeads = requireInteger(heads.queryHeads, "queryHeads", 1);
  const kvHeads = requireInteger(heads.kvHeads, "kvHeads", 1);
  if (queryHeads % kvHeads !== 0) {
    throw expected(`a multiple of kvHeads (${kvHeads})`, "queryHeads", queryHeads);
  }
  return Object.freeze({
    queryHeads,
    kvHeads,
    headDim: requireInteger(heads.headDim, "headDim", 1),
    valueDim: requireInteger(heads.valueDim, "valueDim", 1),
  });
}
