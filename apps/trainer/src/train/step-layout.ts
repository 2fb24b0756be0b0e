import { createSampler, type Sampler } from "@libra/sampler";
import type { TilePlanner } from "@libra/scheduler";
import { coordinatesOf, createLayout, type Layout, type Pool, poolOfRank } from "@libra/topology";
import { poolSizeOf } from "../config/pool-size.js";
import type { TrainConfig } from "../config/schema.js";

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
 * CP group gets pools of one replica, so that no other group waits for it; one that moves work anywhere
 * gets one pool of all replicas.
 */
export function placeOfRank(config: TrainConfig, planner: TilePlanner, rank: number): RankPlace {
  const { dp, cp, tp, pp } = config.layout;
  const layout = createLayout({ world: dp * cp * tp * pp, dp, cp, tp, pp });
  const poolSize = { group: 1, pool: poolSizeOf(config), world: dp }[planner.scope];
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
