import type { StepWork } from "../step/step-work.js";

/** Value of a strategy's setting. */
export type Setting = string | number | boolean;

/** One way to train: how documents become steps, and steps become tile plans. */
export interface Strategy {
  readonly name: StrategyName;
  /** What was chosen, defaults included. */
  readonly settings: Readonly<Record<string, Setting>>;
  /** Whether documents move between steps, so that runs are not comparable step by step. */
  readonly changesStep: boolean;
  /** Steps that are planned but not simulated, until queues of delayed documents have filled. */
  readonly warmUp: number;
  /** Ranks that exchange tiles with each other. */
  readonly poolRanks: number;
  /** The next step, epoch after epoch. */
  next(): StepWork;
}

/** Every strategy, plain ones first. */
export const strategyNames = Object.freeze([
  "ulysses",
  "perDocument",
  "wlb",
  "hybridCp",
  "distca",
  "libra",
] as const);

/** One of {@link strategyNames}. */
export type StrategyName = (typeof strategyNames)[number];

/** What each strategy is, in a few words. */
export const strategyTitles: Readonly<Record<StrategyName, string>> = Object.freeze({
  ulysses: "Ulysses, arrival order",
  perDocument: "per-document CP, arrival order",
  wlb: "WLB-LLM, documents repacked by work",
  hybridCp: "hybrid CP, power-of-two groups by length",
  distca: "DistCA, attention of all replicas disaggregated",
  libra: "Libra, placement and pools",
});
