import { hardwareByName, hardwareLinks, hardwareTimer, pairsCost } from "@libra/cost-model";
import { cuSeqlensOf, type StepPlan } from "@libra/sampler";
import type { PlannerOptions, PoolInput, plannerByName, TilePlan } from "@libra/scheduler";
import { type NodeLayout, ownedRowsByName, type Pool } from "@libra/topology";
import type { StrategyConfig } from "../config/schema.js";
import { headsOf, type ModelSizes } from "../model/sizes.js";

/** What turns a step plan into the tile plans of one pool. */
export interface TilePlanning {
  readonly pool: Pool;
  readonly cp: number;
  readonly sizes: ModelSizes;
  /** Rows of the device's attention block: tiles are cut at its borders. */
  readonly rowBlock: number;
  readonly nodes: NodeLayout | undefined;
  readonly ownedRows: StrategyConfig["ownedRows"];
}

/** What a planner plans; its cost is named by `rowBlock`, so that all of it can go to a thread. */
export interface TileRequest {
  readonly input: Omit<PoolInput, "cost">;
  readonly rowBlock: number;
}

/** @returns the options of the planner that a strategy names */
export function plannerOptionsOf(strategy: StrategyConfig, sizes: ModelSizes): PlannerOptions {
  const { tolerance, granularity, surplus, fill, chunks, scope, hops } = strategy;
  const options = { granularity, surplus, fill, chunks, scope, tolerance };
  if (tolerance !== "auto") return options;
  const hardware = hardwareByName(strategy.hardware);
  const timer = hardwareTimer(hardware, headsOf(sizes));
  return { ...options, timing: { links: hardwareLinks(hardware), timer, hops } };
}

/** @returns what to plan for one micro-step */
export function tileRequestOf(
  plan: StepPlan,
  microStep: number,
  planning: TilePlanning,
): TileRequest {
  const { pool, cp, sizes, rowBlock, nodes, ownedRows } = planning;
  const sequences = Array.from({ length: pool.replicas }, (_, i) =>
    cuSeqlensOf(plan, microStep * plan.dp + pool.firstReplica + i),
  );
  const placed = nodes === undefined ? {} : { nodes };
  const input = {
    sequences,
    heads: headsOf(sizes),
    owned: sequences.map((cuSeqlens, i) => {
      const ranks = pool.ranks.slice(i * cp, (i + 1) * cp);
      return ownedRowsByName(ownedRows, cuSeqlens, cp, { ranks, ...placed });
    }),
    cp,
    ranks: pool.ranks,
    ...placed,
  };
  return { input, rowBlock };
}

/** @returns the plan of a request, made on this thread */
export function planTiles(
  planner: ReturnType<typeof plannerByName>,
  { input, rowBlock }: TileRequest,
): TilePlan {
  return planner.plan({ ...input, cost: pairsCost(rowBlock) });
}
