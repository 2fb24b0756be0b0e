import { requireInteger } from "@libra/base";

/**
 * Which keys of its document a query row sees. Row and key positions count from the document's
 * start; `sliding` keeps the last `slidingWindow` keys of the causal ones, the row's own included.
 */
export type Mask =
  | { readonly kind: "causal" }
  | { readonly kind: "full" }
  | { readonly kind: "sliding"; readonly slidingWindow: number };

/** A row sees the keys up to its own. */
export const causalMask: Mask = Object.freeze({ kind: "causal" });

/** A row sees every key of its document. */
export const fullMask: Mask = Object.freeze({ kind: "full" });

/**
 * Causal attention to the nearest keys only.
 *
 * @param slidingWindow - keys that a row sees at most, its own included
 * @throws LibraError `ARGUMENT` below 1
 */
export function slidingMask(slidingWindow: number): Mask {
  requireInteger(slidingWindow, "slidingWindow", 1);
  return Object.freeze({ kind: "sliding", slidingWindow });
}
