import type { Intake } from "./intake.js";
import { makeReport } from "./report.js";
import type { PackedEpoch, PackingOptions, SegmentTable } from "./types.js";

/**
 * Packed sequences of whole documents, held as a list of pieces (8 bytes each) with offsets by
 * sequence. A piece is a document, or a window-sized part of one that is longer.
 */
export interface Pieces {
  readonly document: Uint32Array;
  /** First token of the piece inside its document. */
  readonly start: Uint32Array;
  /** Sequences + 1. */
  readonly offsets: Uint32Array;
}

/** Joins pieces with the counts of the packing. */
export function packedPieces(
  lengths: Uint32Array,
  pieces: Pieces,
  intake: Intake,
  options: PackingOptions,
): PackedEpoch {
  const { document, start, offsets } = pieces;
  const { window, overlong } = options;
  const count = offsets.length - 1;
  let split = 0;
  // A cut document has exactly one piece that begins at its window's edge.
  if (overlong === "split") for (const first of start) if (first === window) split++;
  const report = makeReport(options, intake, {
    count,
    fullCount: count,
    split,
    segments: document.length,
  });
  return { count, fullCount: count, report, segments };

  function segments(from: number, to: number): SegmentTable {
    const begin = offsets[from]!;
    const end = offsets[to]!;
    const length = new Uint32Array(end - begin);
    for (let i = begin; i < end; i++) {
      length[i - begin] = Math.min(window, lengths[document[i]!]! - start[i]!);
    }
    return {
      offsets: offsets.subarray(from, to + 1).map((offset) => offset - begin),
      document: document.slice(begin, end),
      start: start.slice(begin, end),
      length,
    };
  }
}

/** Calls back for every piece in order: document, first token, tokens. */
export function eachPiece(
  lengths: Uint32Array,
  order: Uint32Array,
  { window, overlong }: PackingOptions,
  visit: (document: number, start: number, length: number) => void,
): void {
  for (let i = 0; i < order.length; i++) {
    const document = order[i]!;
    const length = lengths[document]!;
    if (length <= window) {
      if (length > 0) visit(document, 0, length);
      continue;
    }
    if (overlong === "drop") continue;
    const end = overlong === "truncate" ? window : length;
    for (let start = 0; start < end; start += window) {
      visit(document, start, Math.min(window, end - start));
    }
  }
}
