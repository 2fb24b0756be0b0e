import { pairsCost } from "@libra/cost-model";
import { createSampler, cuSeqlensOf, type Sampler, type StepPlan } from "@libra/sampler";
import { plannerByName, type TilePlan, type TilePlanner } from "@libra/scheduler";
import {
  contiguousRows,
  coordinatesOf,
  createLayout,
  type Layout,
  type OwnedRows,
  type Pool,
  poolOfRank,
  zigzagRows,
} from "@libra/topology";
import { poolSizeOf } from "../config/pool-size.js";
import type { StrategyConfig, TrainConfig } from "../config/schema.js";
import { headsOf, type ModelSizes } from "../model/sizes.js";

/** Where one rank stands in the layout. */
export interface RankPlace {
  readonly layout: Layout;
  readonly pool: Pool;
  readonly worker: number;
  readonly replica: number;
  readonly cpIndex: number;
}

/**
 * The place of a rank. Its pool is as wide as the planner moves work: a planner that stays inside the
 * CP group gets pools of one replica, so that no other group waits for it.
 */
export function placeOfRank(config: TrainConfig, planner: TilePlanner, rank: number): RankPlace {
  const { dp, cp, tp, pp } = config.layout;
  const layout = createLayout({ world: dp * cp * tp * pp, dp, cp, tp, pp });
  const poolSize = planner.scope === "group" ? 1 : poolSizeOf(config);
  const { pool, worker } = poolOfRank(layout, poolSize, rank);
  const coordinates = coordinatesOf(layout, rank);
  return { layout, pool, worker, replica: coordinates.dp, cpIndex: coordinates.cp };
}

/** @param lengths - tokens of each document */
export function samplerFor(config: TrainConfig, lengths: Uint32Array): Sampler {
  const { window, microSteps, placement, sync, shuffle, dropLast } = config.batch;
  const { dp, cp } = config.layout;
  return createSampler({
    lengths,
    window,
    dp,
    cp,
    microSteps,
    poolSize: poolSizeOf(config),
    sync,
    seed: config.seed,
    shuffle,
    placement,
    dropLast,
  });
}

/** @returns the planner that a strategy names, with its options */
export function plannerFor(strategy: StrategyConfig): TilePlanner {
  const { planner, tolerance, granularity, fill, chunks } = strategy;
  return plannerByName(planner, { tolerance, granularity, fill, chunks });
}

/** What turns a step plan into the tile plans of one pool. */
export interface TilePlanning {
  readonly planner: TilePlanner;
  readonly pool: Pool;
  readonly cp: number;
  readonly sizes: ModelSizes;
  /** Rows of the device's attention block: tiles are cut at its borders. */
  readonly rowBlock: number;
  readonly ownedRows: StrategyConfig["ownedRows"];
}

/** @returns the tile plan of one micro-step */
export function tilePlanOf(plan: StepPlan, microStep: number, planning: TilePlanning): TilePlan {
  const { planner, pool, cp, sizes, rowBlock, ownedRows } = planning;
  const sequences = Array.from({ length: pool.replicas }, (_, i) =>
    cuSeqlensOf(plan, microStep * plan.dp + pool.firstReplica + i),
  );
  return planner.plan({
    sequences,
    heads: headsOf(sizes),
    owned: sequences.map((cuSeqlens) => ownedRowsFor(cuSeqlens, cp, ownedRows)),
    cp,
    cost: pairsCost(rowBlock),
    ranks: pool.ranks,
  });
}

function ownedRowsFor(
  cuSeqlens: Int32Array,
  cp: number,
  ownedRows: StrategyConfig["ownedRows"],
): OwnedRows {
  if (ownedRows === "zigzag") return zigzagRows(cuSeqlens, cp);
  return contiguousRows(cuSeqlens[cuSeqlens.length - 1]!, cp);
}
