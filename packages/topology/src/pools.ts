import { LibraError, requireInteger } from "@libra/base";
import { coordinatesOf, divisors, type Layout, rankOf } from "./layout.js";

/** Replicas that share attention work, at one (tp, pp) position. Frozen. */
export interface Pool {
  /** Place in {@link poolsOf}. */
  readonly index: number;
  readonly tp: number;
  readonly pp: number;
  /** First dp index. */
  readonly firstReplica: number;
  /** Replicas `P`, at consecutive dp indices. */
  readonly replicas: number;
  /** Worker → global rank; replica-major, then cp: worker `sequence·C + cp`. */
  readonly ranks: readonly number[];
}

/**
 * All pools of a layout, by first rank: tp fastest, then replicas, then pp.
 *
 * @param poolSize - replicas of a pool; a divisor of dp
 * @throws LibraError `LAYOUT` that lists the valid sizes
 */
export function poolsOf(layout: Layout, poolSize: number): Pool[] {
  const perStage = poolsPerStage(layout, poolSize);
  return Array.from({ length: perStage * layout.tp * layout.pp }, (_, index) =>
    poolAt(layout, poolSize, index),
  );
}

/**
 * The pool of a rank, and its worker number there.
 *
 * @throws LibraError `LAYOUT` for a pool size that does not divide dp, `ARGUMENT` for a rank outside
 *   the world
 */
export function poolOfRank(
  layout: Layout,
  poolSize: number,
  rank: number,
): { pool: Pool; worker: number } {
  const perStage = poolsPerStage(layout, poolSize);
  const { tp, cp, dp, pp } = coordinatesOf(layout, rank);
  const index = tp + layout.tp * (Math.floor(dp / poolSize) + perStage * pp);
  return { pool: poolAt(layout, poolSize, index), worker: (dp % poolSize) * layout.cp + cp };
}

function poolsPerStage(layout: Layout, poolSize: number): number {
  requireInteger(poolSize, "poolSize", 1);
  if (layout.dp % poolSize === 0) return layout.dp / poolSize;
  const valid = divisors(layout.dp);
  throw new LibraError(
    "LAYOUT",
    `poolSize ${poolSize} does not divide dp ${layout.dp}; valid: ${valid.join(", ")}`,
    { details: { poolSize, dp: layout.dp, valid } },
  );
}

function poolAt(layout: Layout, poolSize: number, index: number): Pool {
  const perStage = layout.dp / poolSize;
  const overTp = Math.floor(index / layout.tp);
  const tp = index % layout.tp;
  const pp = Math.floor(overTp / perStage);
  const firstReplica = (overTp % perStage) * poolSize;
  const ranks = Array.from({ length: poolSize * layout.cp }, (_, worker) => {
    const dp = firstReplica + Math.floor(worker / layout.cp);
    return rankOf(layout, { tp, cp: worker % layout.cp, dp, pp });
  });
  const pool = { index, tp, pp, firstReplica, replicas: poolSize, ranks: Object.freeze(ranks) };
  return Object.freeze(pool);
}
