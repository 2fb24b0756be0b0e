import type { AttentionSegments } from "@libra/runtime";
import { type TilePlan, tileColumns } from "@libra/scheduler";
import { homeSegments } from "./segments.js";

/**
 * Tiles that their owner computes from its own tensors: those of a sequence that one worker owns
 * whole, on that worker. The same on every rank, since it looks at the whole plan.
 */
export interface HomeTiles {
  /** The plan without them: what has to be sent. */
  readonly away: TilePlan;
  readonly count: number;
  /** This worker's, over its home tensors. */
  readonly segments: AttentionSegments;
}

const known = new WeakMap<TilePlan, TilePlan>();

/** The home tiles of a worker; undefined for plans whose rows have several owners or whose keys are cut. */
export function homeTilesOf(plan: TilePlan, worker: number): HomeTiles | undefined {
  if (plan.cp !== 1 || plan.keyRanges) return undefined;
  const away = known.get(plan) ?? withoutHomeTiles(plan);
  known.set(plan, away);
  const tiles: number[] = [];
  for (let tile = 0; tile < plan.count; tile += 1) {
    if (plan.worker[tile] === worker && plan.sequence[tile] === worker) tiles.push(tile);
  }
  const segments = homeSegments(plan, Int32Array.from(tiles));
  return { away, count: tiles.length, segments };
}

function withoutHomeTiles(plan: TilePlan): TilePlan {
  const tiles: number[] = [];
  for (let tile = 0; tile < plan.count; tile += 1) {
    if (plan.worker[tile] !== plan.sequence[tile]) tiles.push(tile);
  }
  const columns = Object.fromEntries(
    tileColumns.map((name) => [name, Int32Array.from(tiles, (tile) => plan[name][tile]!)]),
  );
  const cost = Float64Array.from(tiles, (tile) => plan.cost[tile]!);
  return Object.freeze({ ...plan, ...columns, cost, count: tiles.length });
}
