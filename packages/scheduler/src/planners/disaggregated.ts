import { requireInteger, requireNumber, requireOneOf } from "@libra/base";
import { ChunkWriter } from "../plan/chunk-writer.js";
import { sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { SequenceLines } from "../plan/sequence-lines.js";
import { fillTargets } from "../plan/targets.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";

/** Options of {@link disaggregated}. */
export interface DisaggregatedOptions {
  /** Ranks among which work moves: the input is a pool, or all replicas; "pool" by default. */
  readonly scope?: "pool" | "world";
  /** A worker within this share above its target gives nothing away; 0.01 by default. */
  readonly tolerance?: number;
  /** Pipeline stages; 4 by default. */
  readonly chunks?: number;
}

/** Rows of one document, all heads, on one worker. */
interface Item {
  sequence: number;
  document: number;
  rowStart: number;
  rowEnd: number;
  startCost: number;
  endCost: number;
}

/**
 * DistCA's core-attention disaggregation: all workers form one pool of attention servers; each
 * worker with the largest deficit takes, from workers with a surplus above the tolerance, the row range
 * with the most work per byte (all heads together), cut where a part is enough, until none is left.
 */
export function disaggregated(options: DisaggregatedOptions = {}): TilePlanner {
  const scope = requireOneOf(options.scope ?? "pool", "scope", ["pool", "world"]);
  const tolerance = requireNumber(options.tolerance ?? 0.01, "tolerance", 0, 1);
  const chunks = requireInteger(options.chunks ?? 4, "chunks", 1, 1024);
  const lines = new SequenceLines();
  const table = new TileTable();
  const writer = new ChunkWriter(lines, table);

  function plan(input: PoolInput): TilePlan {
    lines.load(input);
    table.clear();
    const { workers, heads } = lines;
    const targets = new Float64Array(workers);
    const level = fillTargets(lines, targets, new Int32Array(workers));
    const held = homeItems(lines);
    const moving = new Moves(lines, held, targets, tolerance);
    moving.run();
    const loads = new Float64Array(workers);
    for (let w = 0; w < workers; w++) {
      const items = held[w]!.sort((a, b) => a.sequence - b.sequence || a.rowStart - b.rowStart);
      writer.begin(w, moving.loads[w]!, chunks, heads.queryHeads / heads.kvHeads);
      for (const { sequence, rowStart, rowEnd, startCost, endCost } of items) {
        writer.push(sequence, 0, heads.queryHeads, rowStart, rowEnd, startCost, endCost);
      }
      loads[w] = writer.end();
    }
    const properties = { planner: "disaggregated", chunks, leastFinish: level, tolerance };
    return sealPlan(lines, table, loads, properties);
  }

  return Object.freeze({
    name: "disaggregated",
    scope,
    splitsRows: true,
    needsKeyRanges: false,
    changesStep: false,
    plan,
  });
}

// Every worker starts with its owned rows, cut at document borders.
function homeItems(lines: SequenceLines): Item[][] {
  const { cp } = lines.input;
  return Array.from({ length: lines.workers }, (_, w) => {
    const sequence = Math.floor(w / cp);
    const owned = lines.input.owned[sequence]!;
    const cuSeqlens = lines.input.sequences[sequence]!;
    const items: Item[] = [];
    for (let i = owned.offsets[w % cp]!; i < owned.offsets[(w % cp) + 1]!; i++) {
      let rowStart = owned.starts[i]!;
      let d = 0;
      while (cuSeqlens[d + 1]! <= rowStart) d++;
      for (; rowStart < owned.ends[i]!; d++) {
        const rowEnd = Math.min(owned.ends[i]!, cuSeqlens[d + 1]!);
        if (rowEnd <= rowStart) continue;
        items.push({
          sequence,
          document: cuSeqlens[d]!,
          rowStart,
          rowEnd,
          startCost: lines.costAt(sequence, rowStart),
          endCost: lines.costAt(sequence, rowEnd),
        });
        rowStart = rowEnd;
      }
    }
    return items;
  });
}

class Moves {
  readonly loads: Float64Array;
  // Elements that travel for one row of queries and outputs, and for one key row.
  private readonly rowSize: number;
  private readonly keySize: number;

  constructor(
    private readonly lines: SequenceLines,
    private readonly held: Item[][],
    private readonly targets: Float64Array,
    private readonly tolerance: number,
  ) {
    const { queryHeads, kvHeads, headDim, valueDim } = lines.heads;
    this.rowSize = queryHeads * (headDim + valueDim);
    this.keySize = kvHeads * (headDim + valueDim);
    this.loads = Float64Array.from(held, (items) =>
      items.reduce((sum, item) => sum + this.cost(item), 0),
    );
  }

  run(): void {
    const { loads, targets } = this;
    const full = new Uint8Array(loads.length);
    for (;;) {
      let neediest = -1;
      for (let w = 0; w < loads.length; w++) {
        const deficit = targets[w]! - loads[w]!;
        if (full[w] === 1 || deficit <= 0) continue;
        if (neediest < 0 || deficit > targets[neediest]! - loads[neediest]!) neediest = w;
      }
      if (neediest < 0) return;
      if (!this.fill(neediest)) full[neediest] = 1;
    }
  }

  // Moves the item, or the end of one, with the most work per element that travels. Every move leaves
  // the worker below where its source was, so that moves come to an end.
  private fill(w: number): boolean {
    const { held, loads, targets } = this;
    const room = targets[w]! - loads[w]!;
    let best = 0;
    let source = -1;
    let index = -1;
    let row = 0;
    for (let v = 0; v < held.length; v++) {
      const surplus = loads[v]! - targets[v]!;
      if (surplus <= this.tolerance * targets[v]! || v === w) continue;
      const items = held[v]!;
      for (let i = 0; i < items.length; i++) {
        const item = items[i]!;
        const part = Math.min(this.cost(item), surplus, room);
        if (this.value(item, part) <= best) continue;
        const start = this.cutRow(item, part);
        const moved = this.costFrom(item, start);
        if (moved === 0 || moved >= room + surplus) continue;
        const value = this.value(item, moved);
        if (value <= best) continue;
        best = value;
        source = v;
        index = i;
        row = start;
      }
    }
    if (source >= 0) this.move(source, index, w, row);
    return source >= 0;
  }

  // Work per element that travels when the end of an item that costs `part` moves; the rows of the
  // part are estimated as if all rows cost the same.
  private value(item: Item, part: number): number {
    const cost = this.cost(item);
    if (cost === 0) return 0;
    const rows = Math.ceil((item.rowEnd - item.rowStart) * (part / cost)) * this.rowSize;
    return part / (rows + (item.rowEnd - item.document) * this.keySize);
  }

  private move(source: number, index: number, w: number, row: number): void {
    const { held, loads, lines } = this;
    const item = held[source]![index]!;
    const rowCost = lines.costAt(item.sequence, row);
    const moved = { ...item, rowStart: row, startCost: rowCost };
    if (row <= item.rowStart) held[source]!.splice(index, 1);
    else held[source]![index] = { ...item, rowEnd: row, endCost: rowCost };
    held[w]!.push(moved);
    loads[source]! -= this.cost(moved);
    loads[w]! += this.cost(moved);
  }

  // Where the end of an item that costs `part` begins: the nearest row block border that leaves at
  // least one block, or the item's start.
  private cutRow(item: Item, part: number): number {
    const { lines } = this;
    if (part >= this.cost(item)) return item.rowStart;
    lines.seekRow(item.sequence, item.endCost - part / lines.heads.queryHeads, 0, false);
    if (lines.nearRow < item.rowEnd) return Math.max(item.rowStart, lines.nearRow);
    const { rowBlock } = lines.cost;
    const blocks = Math.ceil((item.rowEnd - item.document) / rowBlock) - 1;
    return Math.max(item.rowStart, item.document + blocks * rowBlock);
  }

  private costFrom(item: Item, row: number): number {
    const { lines } = this;
    return (item.endCost - lines.costAt(item.sequence, row)) * lines.heads.queryHeads;
  }

  private cost(item: Item): number {
    return (item.endCost - item.startCost) * this.lines.heads.queryHeads;
  }
}
