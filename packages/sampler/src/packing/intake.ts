import { LibraError } from "@libra/base";
import { aligned, type PackingOptions } from "./types.js";

/** What the overlong policy makes of the corpus, before any packing. */
export interface Intake {
  readonly documents: number;
  readonly empty: number;
  readonly dropped: number;
  readonly droppedTokens: number;
  readonly truncated: number;
  readonly truncatedTokens: number;
  /** Documents that remain. */
  readonly usable: number;
  /** Their tokens, and the same with every window-sized piece padded to the alignment. */
  readonly tokens: number;
  readonly alignedTokens: number;
  /** Pieces when only documents above the window are cut. */
  readonly pieces: number;
}

/**
 * Counts what each policy drops, truncates or refuses.
 *
 * @throws LibraError LENGTHS when the policy is `error` and a document is above the window (index,
 * length and cap named), or when nothing usable remains (counts, shortest, cap)
 */
export function takeIn(lengths: Uint32Array, options: PackingOptions): Intake {
  const { window, overlong, alignment } = options;
  const counts = { empty: 0, dropped: 0, droppedTokens: 0, truncated: 0, truncatedTokens: 0 };
  let tokens = 0;
  let alignedTokens = 0;
  let pieces = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < lengths.length; i++) {
    let length = lengths[i]!;
    if (length === 0) {
      counts.empty++;
      continue;
    }
    if (length < shortest) shortest = length;
    if (length > window && overlong !== "split") {
      if (overlong === "error") throw overlongError(i, length, window);
      if (overlong === "drop") {
        counts.dropped++;
        counts.droppedTokens += length;
        continue;
      }
      counts.truncated++;
      counts.truncatedTokens += length - window;
      length = window;
    }
    tokens += length;
    alignedTokens += aligned(length, alignment);
    pieces += length <= window ? 1 : Math.ceil(length / window);
  }
  const usable = lengths.length - counts.empty - counts.dropped;
  if (usable === 0) throw nothingUsable(lengths.length, shortest, window);
  return {
    documents: lengths.length,
    ...counts,
    usable,
    tokens,
    alignedTokens,
    pieces,
  };
}

function overlongError(index: number, length: number, window: number): LibraError {
  return new LibraError(
    "LENGTHS",
    `Document ${index} has ${length} tokens, above the window of ${window}; choose overlong "split", "truncate" or "drop", or a larger window`,
    { details: { index, length, window } },
  );
}

function nothingUsable(documents: number, shortest: number, window: number): LibraError {
  const reason = Number.isFinite(shortest)
    ? `, shortest ${shortest} > cap ${window}`
    : documents > 0
      ? ", all of them empty"
      : "";
  return new LibraError("LENGTHS", `0 of ${documents} documents usable${reason}`, {
    details: { documents, window },
  });
}
