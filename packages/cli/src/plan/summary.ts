import type { PackingReport, PoolSizeChoice, StepPlan } from "@libra/sampler";
import type { TileSummary } from "../tiles/tile-summary.js";
import { type Spread, spread } from "./spread.js";

/** What `libra plan` reports; also the JSON of --json. */
export interface PlanSummary {
  corpus: {
    path: string;
    format: string;
    documents: number;
    tokens: number;
    longest: number;
    fingerprint: string;
    bytesRead: number;
    notes: readonly string[];
  };
  configuration: {
    window: number;
    dp: number;
    microSteps: number;
    poolSize: number;
    pools: number;
    cp: number;
    sync: string;
    placement: string;
    seed: number;
    epoch: number;
  };
  /** Where --pool-size was auto: every candidate, and why one was taken. */
  poolSizeChoice?: PoolSizeChoice;
  packing: PackingReport;
  steps: { inEpoch: number; planned: number };
  skew: { before: Spread; after: Spread; bound: Spread };
  /** Fillers of weight 0 in the planned steps. */
  fillers: number;
  /** Sums over the steps of a placement that repacks documents; absent for all others. */
  repacked?: { delayedDocuments: number; delaySteps: number; extraTokens: number };
  /** With --tiles: the tile plans of the planned steps. */
  tiles?: TileSummary;
  files: string[];
}

/** Collects skews while plans stream by. */
export class SkewCollector {
  readonly #before: number[] = [];
  readonly #after: number[] = [];
  readonly #bound: number[] = [];
  fillers = 0;
  repacked: PlanSummary["repacked"];

  add(plan: StepPlan): void {
    this.#before.push(plan.arrivalSkew);
    this.#after.push(plan.stepSkew);
    this.#bound.push(plan.bound);
    for (const weight of plan.weight) if (weight === 0) this.fillers++;
    if (plan.repacked === undefined) return;
    const { delayedDocuments, delaySteps, extraTokens } = plan.repacked;
    this.repacked ??= { delayedDocuments: 0, delaySteps: 0, extraTokens: 0 };
    this.repacked.delayedDocuments += delayedDocuments;
    this.repacked.delaySteps += delaySteps;
    this.repacked.extraTokens += extraTokens;
  }

  get steps(): number {
    return this.#after.length;
  }

  skew(): PlanSummary["skew"] {
    return {
      before: spread(this.#before),
      after: spread(this.#after),
      bound: spread(this.#bound),
    };
  }
}
