import { requireInteger, requireNumber } from "@libra/base";
import { ChunkWriter } from "../plan/chunk-writer.js";
import { sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { SequenceLines } from "../plan/sequence-lines.js";
import { fillTargets } from "../plan/targets.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";
import { CommunicationCost, type GreedyTile } from "./communication-cost.js";

/** Grid and cap of {@link tiledGreedy}. */
export interface TiledGreedyOptions {
  /** Parts into which the query heads of a sequence are cut; at most one per query head. */
  readonly headParts?: number;
  /**
   * Parts of near-equal cost into which the rows of a head part are cut; by default as many as bring
   * every tile below `grain` of a worker's target.
   */
  readonly rowParts?: number;
  /** Largest tile as a share of a worker's target; 0.125 by default. */
  readonly grain?: number;
  /** A worker takes tiles up to this share of its target; 1.02 by default. */
  readonly cap?: number;
  /** Pipeline stages; 4 by default. */
  readonly chunks?: number;
}

/**
 * The paper's greedy rule: every sequence becomes row blocks × head groups, heads split before rows;
 * costliest first, each tile goes to the worker under a soft cap that adds the least communication
 * (its keys already there, or its queries owned there), else to the least loaded worker.
 */
export function tiledGreedy(options: TiledGreedyOptions = {}): TilePlanner {
  const grain = requireNumber(options.grain ?? 0.125, "grain", 1e-6, 1);
  const cap = requireNumber(options.cap ?? 1.02, "cap", 1);
  const chunks = requireInteger(options.chunks ?? 4, "chunks", 1, 1024);
  const headParts = options.headParts;
  const rowParts = options.rowParts;
  if (headParts !== undefined) requireInteger(headParts, "headParts", 1);
  if (rowParts !== undefined) requireInteger(rowParts, "rowParts", 1);
  const lines = new SequenceLines();
  const table = new TileTable();
  const writer = new ChunkWriter(lines, table);

  function plan(input: PoolInput): TilePlan {
    lines.load(input);
    table.clear();
    const { workers, heads } = lines;
    const targets = new Float64Array(workers);
    const level = fillTargets(lines, targets, new Int32Array(workers));
    const largest = grain * Math.max(...targets);
    const tiles: GreedyTile[] = [];
    for (let s = 0; s < lines.poolSize; s++) {
      const work = lines.headCost(s) * heads.queryHeads;
      const wanted = largest > 0 ? Math.ceil(work / largest) : 1;
      const columns = Math.min(heads.queryHeads, headParts ?? headSplit(heads, wanted));
      const rows = rowParts ?? Math.max(1, Math.ceil(wanted / columns));
      pushGrid(lines, tiles, s, columns, rows);
    }
    const held = place(lines, tiles, targets, cap);
    const loads = new Float64Array(workers);
    for (let w = 0; w < workers; w++) {
      const list = held[w]!.sort(inOrder);
      const load = list.reduce((sum, tile) => sum + cost(tile), 0);
      writer.begin(w, load, chunks, heads.queryHeads / heads.kvHeads);
      for (const { sequence, headStart, headEnd, rowStart, rowEnd, startCost, endCost } of list) {
        writer.push(sequence, headStart, headEnd, rowStart, rowEnd, startCost, endCost);
      }
      loads[w] = writer.end();
    }
    return sealPlan(lines, table, loads, { planner: "tiledGreedy", chunks, leastFinish: level });
  }

  return Object.freeze({
    name: "tiledGreedy",
    scope: "pool",
    splitsRows: rowParts !== 1,
    needsKeyRanges: false,
    changesStep: false,
    plan,
  });
}

// Heads are split first: whole KV groups, then query heads, before any rows.
function headSplit(heads: { queryHeads: number; kvHeads: number }, wanted: number): number {
  return wanted <= heads.kvHeads ? heads.kvHeads : heads.queryHeads;
}

function pushGrid(
  lines: SequenceLines,
  tiles: GreedyTile[],
  sequence: number,
  columns: number,
  rowParts: number,
): void {
  const rows = lines.rows(sequence);
  const whole = lines.headCost(sequence);
  let rowStart = 0;
  let startCost = 0;
  for (let part = 1; part <= rowParts && rowStart < rows; part++) {
    let rowEnd = rows;
    let endCost = whole;
    if (part < rowParts) {
      lines.seekRow(sequence, (whole * part) / rowParts, 0, false);
      rowEnd = lines.nearRow;
      endCost = lines.nearCost;
    }
    if (rowEnd <= rowStart) continue;
    for (let c = 0; c < columns; c++) {
      const headStart = Math.floor((c * lines.heads.queryHeads) / columns);
      const headEnd = Math.floor(((c + 1) * lines.heads.queryHeads) / columns);
      tiles.push({ sequence, headStart, headEnd, rowStart, rowEnd, startCost, endCost });
    }
    rowStart = rowEnd;
    startCost = endCost;
  }
}

function place(
  lines: SequenceLines,
  tiles: readonly GreedyTile[],
  targets: Float64Array,
  cap: number,
): GreedyTile[][] {
  const { workers } = lines;
  const communication = new CommunicationCost(lines, tiles);
  const held: GreedyTile[][] = Array.from({ length: workers }, () => []);
  const loads = new Float64Array(workers);
  const order = tiles.map((_, i) => i);
  order.sort((a, b) => cost(tiles[b]!) - cost(tiles[a]!) || a - b);
  for (const i of order) {
    const work = cost(tiles[i]!);
    let best = -1;
    let least = 0;
    let lightest = 0;
    for (let w = 0; w < workers; w++) {
      if (loads[w]! - targets[w]! < loads[lightest]! - targets[lightest]!) lightest = w;
      if (loads[w]! + work > cap * targets[w]!) continue;
      const added = communication.added(i, w);
      if (best < 0 || added < least || (added === least && loads[w]! < loads[best]!)) {
        best = w;
        least = added;
      }
    }
    const worker = best < 0 ? lightest : best;
    communication.place(i, worker);
    held[worker]!.push(tiles[i]!);
    loads[worker]! += work;
  }
  return held;
}

function cost(tile: GreedyTile): number {
  return (tile.endCost - tile.startCost) * (tile.headEnd - tile.headStart);
}

function inOrder(a: GreedyTile, b: GreedyTile): number {
  return a.sequence - b.sequence || a.headStart - b.headStart || a.rowStart - b.rowStart;
}
