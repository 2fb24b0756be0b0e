/** How documents become packed sequences. */
export type PackingName = "concatSplit" | "bestFit" | "sequential";

/** What happens to a document longer than the window. */
export type OverlongPolicy = "split" | "truncate" | "drop" | "error";

export interface PackingOptions {
  /** Tokens of one packed sequence, the hard cap of every packing. */
  readonly window: number;
  readonly packing: PackingName;
  readonly overlong: OverlongPolicy;
  /** Every segment is padded to a multiple of this many tokens; 1: no padding. */
  readonly alignment: number;
  /** Documents that `bestFit` may reorder at a time. */
  readonly lookAhead: number;
}

/** Counts of one epoch's packing; they add up to what came in. */
export interface PackingReport {
  readonly packing: PackingName;
  readonly overlong: OverlongPolicy;
  readonly window: number;
  readonly alignment: number;
  /** Documents that came in. */
  readonly documents: number;
  /** Documents of length 0, left out. */
  readonly empty: number;
  /** Documents above the window that the policy `drop` left out, and their tokens. */
  readonly dropped: number;
  readonly droppedTokens: number;
  /** Documents above the window that the policy `truncate` shortened, and the tokens lost. */
  readonly truncated: number;
  readonly truncatedTokens: number;
  /** Documents cut into several segments, and the segments of all documents. */
  readonly split: number;
  readonly segments: number;
  /** Packed sequences, and those of them that fill their window (`concatSplit`) or stand (others). */
  readonly sequences: number;
  readonly fullSequences: number;
  /** Tokens of documents in all packed sequences. */
  readonly tokens: number;
  /** Tokens added by `alignment`. */
  readonly padding: number;
  /** Room left over: sequences × window − tokens − padding. */
  readonly unused: number;
}

/** Segments of some packed sequences, in columns; sequence i has offsets[i] … offsets[i+1]−1. */
export interface SegmentTable {
  readonly offsets: Uint32Array;
  readonly document: Uint32Array;
  /** First token of the segment inside its document. */
  readonly start: Uint32Array;
  /** Tokens, without padding. */
  readonly length: Uint32Array;
}

/** The packed sequences of one epoch, held in a few columns and read a step at a time. */
export interface PackedEpoch {
  /** Packed sequences. */
  readonly count: number;
  /** Leading sequences that `dropLast` may use: without a last one that `concatSplit` left short. */
  readonly fullCount: number;
  readonly report: PackingReport;
  /** Segments of the sequences `[from, to)`. */
  segments(from: number, to: number): SegmentTable;
}

/** Tokens that a segment takes in its window. */
export function aligned(length: number, alignment: number): number {
  return alignment === 1 ? length : Math.ceil(length / alignment) * alignment;
}
