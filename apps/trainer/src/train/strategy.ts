import { type Attention, type AttentionStats, createAttention } from "@libra/attention";
import type { Communicator, Rank, Stream } from "@libra/runtime";
import type { StepPlan } from "@libra/sampler";
import {
  type PlannerOptions,
  plannerByName,
  type TilePlan,
  type TilePlanner,
} from "@libra/scheduler";
import type { StrategyConfig, TrainConfig } from "../config/schema.js";
import type { Attend } from "../model/attend.js";
import type { ModelSizes } from "../model/sizes.js";
import type { PlanThread } from "./plan-thread.js";
import { placeOfRank, type RankPlace } from "./step-layout.js";
import { plannerOptionsOf, planTiles, type TilePlanning, tileRequestOf } from "./tile-planning.js";

/** A step with the tile plans of a rank's pool. */
export interface PlannedStep {
  readonly step: StepPlan;
  /** One per micro-step. */
  readonly tiles: readonly TilePlan[];
}

/** How this rank's attention runs: planner, pool and operator. One of them is swapped, nothing else. */
export class Strategy {
  readonly planner: TilePlanner;
  readonly place: RankPlace;
  readonly communicator: Communicator;
  readonly #rank: Rank;
  readonly #config: StrategyConfig;
  readonly #dtype: TrainConfig["dtype"];
  readonly #options: PlannerOptions;
  readonly #planning: TilePlanning;
  readonly #thread: PlanThread | undefined;
  #attention: Attention | undefined;

  /**
   * Every rank of the world makes its strategies in the same order.
   *
   * @param thread - makes the plans of a planner whose scope is the world; absent: this thread does
   */
  constructor(
    rank: Rank,
    config: TrainConfig,
    sizes: ModelSizes,
    strategy: StrategyConfig,
    thread?: PlanThread,
  ) {
    this.#options = plannerOptionsOf(strategy, sizes);
    this.planner = plannerByName(strategy.planner, this.#options);
    this.place = placeOfRank(config, this.planner, rank.rank);
    const { pool } = this.place;
    this.communicator = rank.world.group(pool.ranks);
    this.#rank = rank;
    this.#config = strategy;
    this.#dtype = config.dtype;
    this.#thread = this.planner.scope === "world" ? thread : undefined;
    const { cp, ranksPerNode } = config.layout;
    this.#planning = {
      pool,
      cp,
      sizes,
      rowBlock: rank.device.rowBlock,
      nodes: ranksPerNode === undefined ? undefined : { ranksPerNode },
      ownedRows: strategy.ownedRows,
    };
  }

  /**
   * Makes the tile plans of this rank's pool, and prepares their exchange. Without a thread all of it
   * is done before this returns.
   */
  async planStep(step: StepPlan): Promise<PlannedStep> {
    const tiles: TilePlan[] = [];
    const thread = this.#thread;
    for (let microStep = 0; microStep < step.microSteps; microStep += 1) {
      const request = () => tileRequestOf(step, microStep, this.#planning);
      if (thread === undefined) tiles.push(planTiles(this.planner, request()));
      else {
        const how = { planner: this.planner.name, options: this.#options };
        const key = `${step.epoch} ${step.step} ${microStep} ${JSON.stringify(this.#config)}`;
        tiles.push(await thread.plan(key, () => ({ ...how, ...request() })));
      }
    }
    for (const plan of tiles) this.#prepare(plan);
    return { step, tiles };
  }

  /** Attention under a plan, for the layers of one micro-step. */
  attend(plan: TilePlan, stream: Stream): Attend {
    const attention = this.#operator(plan);
    attention.setPlan(plan);
    return (inputs) => {
      const { out, saved } = attention.forward(stream, inputs);
      return {
        out,
        kept: [inputs.q, inputs.k, inputs.v],
        backward: (dOut) => {
          const gradients = attention.backward(stream, { dOut, saved });
          saved.free();
          return gradients;
        },
      };
    };
  }

  /** What the operator did so far; undefined before the first plan. */
  stats(): AttentionStats | undefined {
    return this.#attention?.stats();
  }

  #prepare(plan: TilePlan): void {
    this.#operator(plan).prepare(plan);
  }

  // The operator cannot be made without a plan.
  #operator(plan: TilePlan): Attention {
    const { keepTiles, hops } = this.#config;
    this.#attention ??= createAttention({
      rank: this.#rank,
      pool: this.communicator,
      plan,
      worker: this.place.worker,
      keepTiles,
      hops,
      dtype: this.#dtype,
    });
    return this.#attention;
  }
}
