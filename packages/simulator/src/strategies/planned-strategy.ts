import { causalPairs } from "@libra/cost-model";
import { createSampler, cuSeqlensOf, type SamplerOptions, type StepPlan } from "@libra/sampler";
import type { PoolInput, TilePlan } from "@libra/scheduler";
import { contiguousRows, syncOf } from "@libra/topology";
import { nodeLayout } from "../machine/cluster.js";
import type { Scenario } from "../scenario.js";
import type { PoolStep, StepWork } from "../step/step-work.js";
import type { Setting, Strategy, StrategyName } from "./strategy.js";

/** How a strategy that packs windows plans its steps. */
export interface PlannedRule {
  readonly name: StrategyName;
  readonly settings: Readonly<Record<string, Setting>>;
  /** Replicas whose ranks exchange tiles. */
  readonly poolSize: number;
  readonly hops: 1 | 2;
  /** Two half micro-steps take turns; default false. */
  readonly pingPong?: boolean;
  /** Steps planned but not simulated; default 0. */
  readonly warmUp?: number;
  readonly placement: NonNullable<SamplerOptions["placement"]>;
  /** Plans one micro-step of one pool; every rank owns one stretch of rows unless replaced. */
  plan(input: PoolInput): TilePlan;
}

/** Documents of the corpus and how they are read. */
export interface CorpusOptions {
  readonly lengths: Uint32Array;
  readonly overlong: NonNullable<SamplerOptions["overlong"]>;
}

/** A strategy made of the sampler's placement and a tile planner of the scheduler. */
export function plannedStrategy(
  scenario: Scenario,
  corpus: CorpusOptions,
  rule: PlannedRule,
): Strategy {
  const { layout, window, microSteps, seed, sharding, expertParallel, positions } = scenario;
  const { cp, dp, pp, tp } = layout;
  const poolRanks = rule.poolSize * cp;
  const { cost } = scenario;
  const sampler = createSampler({
    ...corpus,
    window,
    dp,
    microSteps,
    poolSize: rule.poolSize,
    cp,
    sync: syncOf({
      pp,
      sharding,
      poolRanks,
      expertGroup: expertParallel,
      shardGroup: positions,
    }),
    stages: pp,
    seed,
    placement: rule.placement,
    cost,
  });
  const nodes = nodeLayout(scenario.cluster);

  function* pools(plan: StepPlan, microStep: number): Iterable<PoolStep> {
    for (let first = 0; first < dp; first += rule.poolSize) {
      const sequences = Array.from({ length: rule.poolSize }, (_, s) =>
        cuSeqlensOf(plan, microStep * dp + first + s),
      );
      const places = Array.from({ length: poolRanks }, (_, worker) => first * cp + worker);
      const ranks = places.map((position) => position * tp);
      const owned = sequences.map((cuSeqlens) => contiguousRows(cuSeqlens.at(-1)!, cp));
      const input = { sequences, heads: scenario.heads, owned, cp, cost, nodes, ranks };
      yield { plan: rule.plan(input), positions: places };
    }
  }

  return {
    name: rule.name,
    settings: Object.freeze(rule.settings),
    changesStep: typeof rule.placement === "object" && rule.placement.changesStep,
    warmUp: rule.warmUp ?? 0,
    poolRanks,
    next(): StepWork {
      const plan = sampler.next();
      return {
        microSteps,
        tokens: plan.tokens,
        pairs: pairsOf(plan),
        hops: rule.hops,
        pingPong: rule.pingPong ?? false,
        meets: false,
        pools: (microStep) => pools(plan, microStep),
        stepSkew: plan.stepSkew,
        arrivalSkew: plan.arrivalSkew,
        bound: plan.bound,
        delayedDocuments: plan.repacked?.delayedDocuments ?? 0,
        extraTokens: plan.repacked?.extraTokens ?? 0,
      };
    },
  };
}

/** Causal pairs of one head over all documents of a step. */
export function pairsOf(plan: StepPlan): number {
  let pairs = 0;
  for (const length of plan.segmentLength) pairs += causalPairs(0, length);
  return pairs;
}
