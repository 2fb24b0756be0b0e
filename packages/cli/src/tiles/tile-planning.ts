import { type AttentionHeads, type PlanningCost, pairsCost } from "@libra/cost-model";
import { cuSeqlensOf, type StepPlan } from "@libra/sampler";
import {
  describePlan,
  explain,
  plannerByName,
  type TilePlan,
  type TilePlanner,
  type Timeline,
  type TimelineOptions,
  tilePlanHash,
  timeline,
} from "@libra/scheduler";
import { clusterByName } from "@libra/simulator";
import {
  createLayout,
  type NodeLayout,
  type OwnedRowsName,
  ownedRowsByName,
  type Pool,
  poolsOf,
} from "@libra/topology";
import type { TileOptions } from "./tile-options.js";
import type { ExplainedPool, PoolPlan } from "./tile-summary.js";

/** A pool's plan of one micro-step, with its prediction. */
export interface PlannedPool {
  readonly report: PoolPlan;
  readonly pool: Pool;
  readonly plan: TilePlan;
  readonly timeline: Timeline;
}

/** What the command line says about tiles, ready to plan any step of one shape. */
export class TilePlanning {
  readonly heads: AttentionHeads;
  readonly nodes: NodeLayout;
  readonly pools: readonly Pool[];
  readonly #planner: TilePlanner;
  readonly #timing: TimelineOptions;
  readonly #cost: PlanningCost;
  readonly #ownedRows: OwnedRowsName;
  readonly #cp: number;

  /** @throws LibraError `ARGUMENT` or `LAYOUT` for shapes that do not fit each other */
  constructor(
    options: TileOptions,
    shape: { dp: number; cp: number; poolSize: number; cost?: PlanningCost | undefined },
  ) {
    const { dp, cp, poolSize, cost } = shape;
    const { tolerance, chunks, surplus } = options;
    const [queryHeads, kvHeads, headDim, valueDim = headDim] = options.heads as [
      number,
      number,
      number,
      number?,
    ];
    this.heads = { queryHeads, kvHeads, headDim, valueDim };
    const cluster = clusterByName(options.cluster);
    this.nodes = { ranksPerNode: options.nodeSize ?? cluster.ranksPerNode };
    const { links, timer } = cluster;
    const hops = options.hops as 1 | 2;
    this.#timing = { links, timer: timer(this.heads), hops };
    const planning = { tolerance, chunks, surplus, timing: this.#timing };
    this.#planner = plannerByName(options.planner, planning);
    this.#cost = cost ?? pairsCost();
    this.#ownedRows = options.ownedRows;
    this.#cp = cp;
    this.pools = poolsOf(createLayout({ world: dp * cp, dp, cp }), poolSize);
  }

  /** The plans of all pools and micro-steps of a step. */
  *plan(step: StepPlan): Generator<PlannedPool> {
    for (let microStep = 0; microStep < step.microSteps; microStep++) {
      for (const pool of this.pools) yield this.#planPool(step, microStep, pool);
    }
  }

  /** The table of a pool's workers, as data. */
  describe({ plan, report }: PlannedPool): ExplainedPool {
    const { step, microStep, pool } = report;
    return { step, microStep, pool, plan: describePlan(plan, this.#timing) };
  }

  /** The same for people. */
  explain({ plan, report }: PlannedPool): string {
    const { step, microStep, pool } = report;
    return `step ${step}, micro-step ${microStep}, pool ${pool}\n${explain(plan, this.#timing)}`;
  }

  #planPool(step: StepPlan, microStep: number, pool: Pool): PlannedPool {
    const sequences = Array.from({ length: pool.replicas }, (_, i) =>
      cuSeqlensOf(step, microStep * step.dp + pool.firstReplica + i),
    );
    const cp = this.#cp;
    const { nodes } = this;
    const plan = this.#planner.plan({
      sequences,
      heads: this.heads,
      owned: sequences.map((borders, i) => {
        const ranks = pool.ranks.slice(i * cp, (i + 1) * cp);
        return ownedRowsByName(this.#ownedRows, borders, cp, { nodes, ranks });
      }),
      cp,
      cost: this.#cost,
      nodes,
      ranks: pool.ranks,
    });
    const time = timeline(plan, this.#timing);
    const { workerSkew, bound, moved, leastMoved, tolerance, count } = plan;
    const report = {
      step: step.step,
      microStep,
      pool: pool.index,
      hash: tilePlanHash(plan),
      tiles: count,
      tolerance,
      workerSkew,
      bound,
      moved,
      leastMoved,
      seconds: time.seconds,
      exposed: time.exposed,
    };
    return { report, pool, plan, timeline: time };
  }
}
