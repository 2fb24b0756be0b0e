import type { PlanningCost } from "@libra/cost-model";
import type { Sync } from "@libra/topology";
import type { SegmentTable } from "../packing/types.js";

/** Where sequences go in one step. Bin b = microStep · pools + pool holds slots b·P … b·P + P − 1. */
export interface PlacementShape {
  /** K: pools, dp / poolSize. */
  readonly pools: number;
  /** P: replicas of a pool. */
  readonly poolSize: number;
  /** M: packed sequences of every replica in one step. */
  readonly microSteps: number;
  /** Where pools meet. */
  readonly sync: Sync;
  /** Pipeline stages, 1 without a pipeline. */
  readonly stages: number;
  /** Backward time ÷ forward time of a micro-step; used by `pipeline` only. */
  readonly backwardRatio: number;
}

/** A strategy that gives every slot of a step one of the step's own sequences. */
export interface FixedPlacement {
  readonly name: string;
  /** The step's set of sequences stays as it came. */
  readonly changesStep: false;
  /**
   * Pure: equal inputs give equal slots on every rank.
   *
   * @param weights - workload of each of the K·P·M sequences, non-negative; fillers have 0
   * @returns slot → index into `weights`, a permutation
   */
  place(weights: Float64Array, shape: PlacementShape): Uint32Array;
}

/** A strategy that packs documents anew and may keep some for a later step. */
export interface RepackingPlacement {
  readonly name: string;
  /** The step's set of documents differs from what arrived for it. */
  readonly changesStep: true;
  /** Begins with empty queues, or where a saved run stood. */
  begin(context: RepackingContext, saved?: unknown): RepackingRun;
}

/** A strategy: shared code asks `changesStep`, never the name. */
export type Placement = FixedPlacement | RepackingPlacement;

/** What a repacking strategy needs to know. */
export interface RepackingContext {
  /** Packed sequences of a step. */
  readonly slots: number;
  readonly window: number;
  readonly alignment: number;
  readonly cost: PlanningCost;
}

/** One run of a repacking strategy: it holds the documents that wait. */
export interface RepackingRun {
  /** Arriving packed sequences that the next step has room for, 0 … slots. */
  readonly wanted: number;
  /** Takes the arriving sequences in and gives the step's, one for each slot (maybe empty). */
  repack(arriving: SegmentTable): RepackedSequences;
  /** The waiting documents as plain JSON. */
  state(): unknown;
}

/** A repacked step with its report. */
export interface RepackedSequences {
  readonly segments: SegmentTable;
  readonly report: RepackedStep;
}

/** Report of a step whose documents were repacked across steps. */
export interface RepackedStep {
  /** Documents of this step that came in an earlier one, and the sum of steps they waited. */
  readonly delayedDocuments: number;
  readonly delaySteps: number;
  /** Tokens above the window, over all slots. */
  readonly extraTokens: number;
  /** Documents and tokens that wait for a later step. */
  readonly waitingDocuments: number;
  readonly waitingTokens: number;
}
