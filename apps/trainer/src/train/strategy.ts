import { type Attention, createAttention } from "@libra/attention";
import type { Communicator, Rank, Stream } from "@libra/runtime";
import type { StepPlan } from "@libra/sampler";
import type { TilePlan, TilePlanner } from "@libra/scheduler";
import type { StrategyConfig, TrainConfig } from "../config/schema.js";
import type { Attend } from "../model/attend.js";
import type { ModelSizes } from "../model/sizes.js";
import {
  placeOfRank,
  plannerFor,
  type RankPlace,
  type TilePlanning,
  tilePlanOf,
} from "./step-layout.js";

/** How this rank's attention runs: planner, pool and operator. One of them is swapped, nothing else. */
export class Strategy {
  readonly planner: TilePlanner;
  readonly place: RankPlace;
  readonly communicator: Communicator;
  readonly #rank: Rank;
  readonly #planning: TilePlanning;
  #attention: Attention | undefined;

  /** Every rank of the world makes its strategies in the same order. */
  constructor(rank: Rank, config: TrainConfig, sizes: ModelSizes, strategy: StrategyConfig) {
    this.planner = plannerFor(strategy);
    this.place = placeOfRank(config, this.planner, rank.rank);
    const { pool } = this.place;
    this.communicator = rank.world.group(pool.ranks);
    this.#rank = rank;
    this.#planning = {
      planner: this.planner,
      pool,
      cp: config.layout.cp,
      sizes,
      rowBlock: rank.device.rowBlock,
      ownedRows: strategy.ownedRows,
    };
  }

  /** The tile plan of one micro-step of this rank's pool. */
  plan(step: StepPlan, microStep: number): TilePlan {
    return tilePlanOf(step, microStep, this.#planning);
  }

  /** Attention under a plan, for the layers of one micro-step. */
  attend(plan: TilePlan, stream: Stream): Attend {
    const attention = this.#operator(plan);
    return (inputs) => {
      const { out, saved } = attention.forward(stream, inputs);
      return {
        out,
        kept: [inputs.q, inputs.k, inputs.v, saved.logSumExp],
        backward: (dOut) => attention.backward(stream, { dOut, saved }),
      };
    };
  }

  /** What the operator did so far; undefined before the first micro-step. */
  stats(): ReturnType<Attention["stats"]> | undefined {
    return this.#attention?.stats();
  }

  #operator(plan: TilePlan): Attention {
    if (this.#attention === undefined) {
      const { worker } = this.place;
      const pool = this.communicator;
      this.#attention = createAttention({ rank: this.#rank, pool, plan, worker });
    } else {
      this.#attention.setPlan(plan);
    }
    return this.#attention;
  }
}
