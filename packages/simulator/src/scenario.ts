import type { AttentionHeads, AttentionTimer, ModelShape, PlanningCost } from "@libra/cost-model";
import type { Layout, Sharding } from "@libra/topology";
import type { Cluster } from "./machine/cluster.js";

/** A scenario after validation. Positions are places in the dp × cp plane, cp fastest. */
export interface Scenario {
  readonly model: ModelShape;
  readonly cluster: Cluster;
  readonly layout: Layout;
  readonly window: number;
  readonly microSteps: number;
  readonly parts: number;
  readonly expertParallel: number;
  readonly sharding: Sharding;
  readonly recompute: "none" | "full";
  readonly overlapReduction: boolean;
  readonly elementBytes: number;
  readonly seed: number;
  /** Heads of one tensor-parallel rank. */
  readonly heads: AttentionHeads;
  readonly timer: AttentionTimer;
  /** What planners balance. */
  readonly cost: PlanningCost;
  /** Positions of one stage, `cp × dp`. */
  readonly positions: number;
  /** How much longer a position computes than the fastest device: `[stage · positions + position]`. */
  readonly slowness: Float64Array;
}
