import type { SequenceLines } from "./sequence-lines.js";
import type { TilePlan } from "./tile-plan.js";
import type { TileTable } from "./tile-table.js";

/** What a planner knows beside the table and the loads. */
export interface PlanProperties {
  planner: string;
  chunks: number;
  keyRanges?: boolean;
  tolerance?: number;
  /** Latest finish that no answer of the same kind can beat, in planning cost ÷ speed. */
  leastFinish: number;
}

/** Freezes a table into a plan, with its report. */
export function sealPlan(
  lines: SequenceLines,
  table: TileTable,
  loads: Float64Array,
  properties: PlanProperties,
): TilePlan {
  const { input, workers, poolSize, total } = lines;
  const speed = input.speed?.slice() ?? new Float64Array(workers).fill(1);
  const base = input.base?.slice() ?? new Float64Array(workers);
  const perfect = perfectFinish(total, speed, base);
  let latest = 0;
  for (let w = 0; w < workers; w++) latest = Math.max(latest, (base[w]! + loads[w]!) / speed[w]!);
  const ranks = input.ranks ?? ownRanks(workers);
  return Object.freeze({
    planner: properties.planner,
    workers,
    cp: input.cp,
    poolSize,
    heads: lines.heads,
    chunks: properties.chunks,
    count: table.count,
    ...table.copy(),
    sequences: input.sequences,
    owned: input.owned,
    speed,
    base,
    nodes: input.nodes ?? { ranksPerNode: 1 + Math.max(...ranks) },
    ranks,
    keyRanges: properties.keyRanges ?? false,
    tolerance: properties.tolerance ?? 0,
    loads: loads.slice(0, workers),
    total,
    workerSkew: perfect > 0 ? latest / perfect : 1,
    bound: perfect > 0 ? Math.max(1, properties.leastFinish / perfect) : 1,
    moved: total > 0 ? movedCost(lines, table) / total : 0,
    leastMoved: total > 0 ? leastMovedCost(lines, speed, base) / total : 0,
    rowBlock: lines.cost.rowBlock,
  });
}

const rankLists: (readonly number[])[] = [];

// Ranks of a pool that fills the world, one list for all plans of a size.
function ownRanks(workers: number): readonly number[] {
  rankLists[workers] ??= Object.freeze(Array.from({ length: workers }, (_, w) => w));
  return rankLists[workers];
}

// The mean that workerSkew divides by: all work and all base spread over all speeds.
function perfectFinish(total: number, speed: Float64Array, base: Float64Array): number {
  let work = total;
  let speeds = 0;
  for (let w = 0; w < speed.length; w++) {
    work += base[w]!;
    speeds += speed[w]!;
  }
  return work / speeds;
}

function movedCost(lines: SequenceLines, table: TileTable): number {
  const { worker, sequence } = table.columns;
  const cp = lines.input.cp;
  let moved = 0;
  for (let t = 0; t < table.count; t++) {
    const s = sequence[t]!;
    const w = worker[t]!;
    if (w >= s * cp && w < (s + 1) * cp) continue;
    moved += table.cost[t]!;
  }
  return moved;
}

function leastMovedCost(lines: SequenceLines, speed: Float64Array, base: Float64Array): number {
  const { poolSize, total, heads } = lines;
  const cp = lines.input.cp;
  let work = total;
  let speeds = 0;
  for (let w = 0; w < speed.length; w++) {
    work += base[w]!;
    speeds += speed[w]!;
  }
  let moved = 0;
  for (let s = 0; s < poolSize; s++) {
    let room = 0;
    for (let w = s * cp; w < (s + 1) * cp; w++) {
      room += Math.max(0, (work / speeds) * speed[w]! - base[w]!);
    }
    moved += Math.max(0, lines.headCost(s) * heads.queryHeads - room);
  }
  return moved;
}
