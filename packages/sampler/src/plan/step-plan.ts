import type { Sync } from "@libra/topology";
import type { RepackedStep } from "../placement/types.js";

/** `sequence` of a slot without one: a filler at the tail of an epoch. */
export const noSequence = 0xffffffff;

/**
 * One optimizer step as plain data. Slot = microStep · dp + replica; the pool of a slot is
 * floor(replica / poolSize). Documents are indices into the lengths that the sampler was given.
 */
export interface StepPlan {
  readonly epoch: number;
  /** Step of the epoch. */
  readonly step: number;
  readonly window: number;
  readonly dp: number;
  readonly microSteps: number;
  readonly poolSize: number;
  readonly sync: Sync;
  /** Name of the placement strategy. */
  readonly placement: string;
  /** Segments are padded to multiples of this many tokens. */
  readonly alignment: number;
  /** Slot → index of the packed sequence in the epoch's order; `noSequence` for a filler. */
  readonly sequence: Uint32Array;
  /** Slot → 1, or 0 for a filler, which has no segments and counts for nothing. */
  readonly weight: Uint8Array;
  /** Slots + 1 offsets into the segment columns. */
  readonly segmentOffsets: Uint32Array;
  readonly segmentDocument: Uint32Array;
  /** First token of the segment inside its document. */
  readonly segmentStart: Uint32Array;
  /** Tokens of the segment, without padding. */
  readonly segmentLength: Uint32Array;
  /** Slot → planning cost of one query head, of the padded segments. */
  readonly workload: Float64Array;
  /** Largest ÷ mean workload over pools, in the worst micro-step. */
  readonly poolSkew: number;
  /** Time of the step ÷ mean work of a pool, as `sync` has it. */
  readonly stepSkew: number;
  /** `stepSkew` of the same sequences in arrival order. */
  readonly arrivalSkew: number;
  /** A value that `stepSkew` cannot be below, whatever the placement. */
  readonly bound: number;
  /** Tokens of documents in the step. */
  readonly tokens: number;
  /** Σ (length − 1) over segments: a segment's last token has no target. */
  readonly targets: number;
  /** What a strategy that changes the step did; absent for all others. */
  readonly repacked?: RepackedStep;
}
