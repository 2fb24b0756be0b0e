import type { SequenceLines } from "./sequence-lines.js";
import type { TilePlan } from "./tile-plan.js";
import type { TileColumns, TileTable } from "./tile-table.js";

/** What a planner knows beside the table and the loads. */
export interface PlanProperties {
  readonly planner: string;
  readonly chunks: number;
  readonly keyRanges?: boolean;
  readonly tolerance?: number;
  /** Latest finish that no answer of the same kind can beat, in planning cost ÷ speed. */
  readonly leastFinish: number;
}

/** A plan that may still be written. */
export type WritablePlan = { -readonly [Key in keyof TilePlan]: TilePlan[Key] };

const noHeads = Object.freeze({ queryHeads: 1, kvHeads: 1, headDim: 1, valueDim: 1 });

/** A plan over given columns and per-worker values, its report still to be filled in. */
export function blankPlan(
  columns: TileColumns,
  loads: Float64Array,
  speed: Float64Array,
  base: Float64Array,
): WritablePlan {
  // One literal: an object that grows property by property is several times slower to freeze.
  return {
    planner: "",
    workers: 0,
    cp: 0,
    poolSize: 0,
    heads: noHeads,
    chunks: 0,
    count: 0,
    sequence: columns.sequence,
    headStart: columns.headStart,
    headCount: columns.headCount,
    rowStart: columns.rowStart,
    rowCount: columns.rowCount,
    keyStart: columns.keyStart,
    keyCount: columns.keyCount,
    worker: columns.worker,
    chunk: columns.chunk,
    cost: columns.cost,
    sequences: [],
    owned: [],
    speed,
    base,
    nodes: { ranksPerNode: 1 },
    ranks: [],
    keyRanges: false,
    tolerance: 0,
    loads,
    total: 0,
    workerSkew: 1,
    bound: 1,
    moved: 0,
    leastMoved: 0,
    rowBlock: 1,
  };
}

/** Freezes a table into a plan, with its report. */
export function sealPlan(
  lines: SequenceLines,
  table: TileTable,
  loads: Float64Array,
  properties: PlanProperties,
): TilePlan {
  const { input, workers } = lines;
  const speed = input.speed?.slice() ?? new Float64Array(workers).fill(1);
  const base = input.base?.slice() ?? new Float64Array(workers);
  const plan = blankPlan(table.copy(), loads.slice(0, workers), speed, base);
  fillReport(plan, lines, table, properties);
  return Object.freeze(plan);
}

/** Fills in all that follows from the table, the loads, the speeds and the bases. */
export function fillReport(
  plan: WritablePlan,
  lines: SequenceLines,
  table: TileTable,
  properties: PlanProperties,
): void {
  const { input, workers, total } = lines;
  const { loads, speed, base } = plan;
  let latest = 0;
  let work = total;
  let speeds = 0;
  for (let w = 0; w < workers; w++) {
    latest = Math.max(latest, (base[w]! + loads[w]!) / speed[w]!);
    work += base[w]!;
    speeds += speed[w]!;
  }
  // The mean that workerSkew divides by: all work and all base spread over all speeds.
  const perfect = work / speeds;
  plan.planner = properties.planner;
  plan.workers = workers;
  plan.cp = input.cp;
  plan.poolSize = lines.poolSize;
  plan.heads = lines.heads;
  plan.chunks = properties.chunks;
  plan.count = table.count;
  plan.sequences = input.sequences;
  plan.owned = input.owned;
  plan.ranks = input.ranks ?? ownRanks(workers);
  plan.nodes = input.nodes ?? oneNode(plan.ranks);
  plan.keyRanges = properties.keyRanges ?? false;
  plan.tolerance = properties.tolerance ?? 0;
  plan.total = total;
  plan.workerSkew = perfect > 0 ? latest / perfect : 1;
  plan.bound = perfect > 0 ? Math.max(1, properties.leastFinish / perfect) : 1;
  plan.moved = total > 0 ? movedCost(lines, table) / total : 0;
  plan.leastMoved = total > 0 ? leastMovedCost(lines, speed, base, perfect) / total : 0;
  plan.rowBlock = lines.cost.rowBlock;
}

const rankLists: (readonly number[])[] = [];

// Ranks of a pool that fills the world, one list for all plans of a size.
function ownRanks(workers: number): readonly number[] {
  rankLists[workers] ??= Object.freeze(Array.from({ length: workers }, (_, w) => w));
  return rankLists[workers];
}

function oneNode(ranks: readonly number[]) {
  let last = 0;
  for (let w = 0; w < ranks.length; w++) last = Math.max(last, ranks[w]!);
  return { ranksPerNode: last + 1 };
}

function movedCost(lines: SequenceLines, table: TileTable): number {
  const { worker, sequence } = table.columns;
  const cp = lines.input.cp;
  let moved = 0;
  for (let t = 0; t < table.count; t++) {
    const home = sequence[t]! * cp;
    if (worker[t]! < home || worker[t]! >= home + cp) moved += table.cost[t]!;
  }
  return moved;
}

function leastMovedCost(
  lines: SequenceLines,
  speed: Float64Array,
  base: Float64Array,
  perfect: number,
): number {
  const { cp } = lines.input;
  let moved = 0;
  for (let s = 0; s < lines.poolSize; s++) {
    let room = 0;
    for (let w = s * cp; w < (s + 1) * cp; w++) room += Math.max(0, perfect * speed[w]! - base[w]!);
    moved += Math.max(0, lines.headCost(s) * lines.heads.queryHeads - room);
  }
  return moved;
}
