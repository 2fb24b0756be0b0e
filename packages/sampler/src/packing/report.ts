import type { Intake } from "./intake.js";
import type { PackingOptions, PackingReport } from "./types.js";

/** Joins what came in with what was packed. */
export function makeReport(
  options: PackingOptions,
  intake: Intake,
  packed: {
    readonly count: number;
    readonly fullCount: number;
    readonly split: number;
    readonly segments: number;
  },
): PackingReport {
  const { packing, overlong, window, alignment } = options;
  const { documents, empty, dropped, droppedTokens, truncated, truncatedTokens } = intake;
  const { tokens, alignedTokens } = intake;
  return Object.freeze({
    packing,
    overlong,
    window,
    alignment,
    documents,
    empty,
    dropped,
    droppedTokens,
    truncated,
    truncatedTokens,
    split: packed.split,
    segments: packed.segments,
    sequences: packed.count,
    fullSequences: packed.fullCount,
    tokens,
    padding: alignedTokens - tokens,
    unused: packed.count * window - alignedTokens,
  });
}
