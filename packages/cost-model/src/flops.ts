import { expected } from "@libra/base";
import type { AttentionHeads } from "./heads.js";

/** Direction of a kernel call. */
export type Pass = "forward" | "backward";

/** Matrix products of a backward kernel: 5, or 7 when a two-pass deterministic one repeats two. */
export type BackwardProducts = 5 | 7;

/**
 * Matrix FLOPs of attention of ONE query head: forward `2(D + Dv)` a pair (QKᵀ, PV); backward
 * `2(3D + 2Dv)` (QKᵀ, dO·Vᵀ, Pᵀ·dO, dS·K, dSᵀ·Q), or `2(4D + 3Dv)` when dQ and dK/dV are computed in
 * two passes that both need QKᵀ and dO·Vᵀ.
 *
 * @param pairs - visible (row, key) pairs
 * @param products - backward only; default 5
 */
export function attentionFlops(
  pass: Pass,
  heads: Pick<AttentionHeads, "headDim" | "valueDim">,
  pairs: number,
  products: BackwardProducts = 5,
): number {
  const { headDim, valueDim } = heads;
  if (pass === "forward") return 2 * (headDim + valueDim) * pairs;
  if (products === 5) return 2 * (3 * headDim + 2 * valueDim) * pairs;
  if (products === 7) return 2 * (4 * headDim + 3 * valueDim) * pairs;
  throw expected("5 or 7", "products", products);
}
