import type { TilePlan } from "@libra/scheduler";

/** What the ranks that exchange tiles do in one micro-step: a pool, a CP group, or all replicas. */
export interface PoolStep {
  readonly plan: TilePlan;
  /** Position of each worker in the dp × cp plane. */
  readonly positions: readonly number[];
  /** Tokens of the fullest rank at once, where documents run one after another; default: all. */
  readonly tokensHeld?: number;
}

/** One optimizer step as a strategy plans it. */
export interface StepWork {
  readonly microSteps: number;
  /** Tokens of documents in the step. */
  readonly tokens: number;
  /** Causal pairs of all documents of the step, of one head. */
  readonly pairs: number;
  /** Hops of the exchange. */
  readonly hops: 1 | 2;
  /** Whether two half micro-steps take turns, one computing while the other exchanges. */
  readonly pingPong: boolean;
  /** Whether all ranks meet after every micro-step, for the strategy's own reasons. */
  readonly meets: boolean;
  /** Plans of a micro-step; they share no position. Made when asked for: a step may be large. */
  pools(microStep: number): Iterable<PoolStep>;
  /** Largest ÷ mean attention work over pools, in the step's terms of `sync`. */
  readonly stepSkew: number;
  /** The same for the sequences in arrival order, and the least that placement could reach. */
  readonly arrivalSkew: number;
  readonly bound: number;
  /** Strategies that repack across steps: documents of earlier steps, and tokens above the window. */
  readonly delayedDocuments: number;
  readonly extraTokens: number;
}
