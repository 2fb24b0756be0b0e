import type { Sync } from "@libra/topology";

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

/** A strategy that gives every slot of a step one of the step's sequences. */
export interface Placement {
  readonly name: string;
  /** False: the step's set of sequences stays as it came. */
  readonly changesStep: boolean;
  /**
   * Pure: equal inputs give equal slots on every rank.
   *
   * @param weights - workload of each of the K·P·M sequences, non-negative; fillers have 0
   * @returns slot → index into `weights`, a permutation
   */
  place(weights: Float64Array, shape: PlacementShape): Uint32Array;
}
