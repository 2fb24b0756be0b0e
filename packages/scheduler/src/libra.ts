import { ChunkWriter } from "./chunk-writer.js";
import { CutToFit } from "./cut-to-fit.js";
import { type CheckedLibraOptions, checkLibraOptions, type LibraOptions } from "./libra-options.js";
import { sealPlan } from "./plan-report.js";
import type { PoolInput } from "./pool-input.js";
import { SequenceLines } from "./sequence-lines.js";
import type { TilePlan, TilePlanner } from "./tile-plan.js";
import { TileTable } from "./tile-table.js";

/**
 * The Libra planner (cut-to-fit): home work first, the surplus of heavy groups cut to fit the room
 * of light ones. With granularity "row" every worker's load is at most `(1 + tolerance)·target +
 * one row block of one head block of the costliest document in the pool`.
 *
 * @throws LibraError `ARGUMENT` for a bad option
 */
export function libra(options: LibraOptions = {}): TilePlanner {
  const checked = checkLibraOptions(options);
  const planning = new LibraPlanning(checked);
  return Object.freeze({
    name: "libra",
    scope: "pool",
    splitsRows: checked.granularity === "row",
    needsKeyRanges: false,
    changesStep: false,
    plan: (input: PoolInput) => planning.plan(input),
  });
}

/** The buffers of a planner; they carry nothing from one plan to the next. */
class LibraPlanning {
  private readonly lines = new SequenceLines();
  private readonly table = new TileTable();
  private readonly writer = new ChunkWriter(this.lines, this.table);
  private readonly fit: CutToFit;
  private loads = new Float64Array(0);
  private middleHead = 0;
  private middleRow = 0;
  private middleCost = 0;

  constructor(private readonly options: CheckedLibraOptions) {
    this.fit = new CutToFit(this.lines, options);
  }

  plan(input: PoolInput): TilePlan {
    const { lines, table, fit, options } = this;
    lines.load(input);
    table.clear();
    if (this.loads.length < lines.workers) this.loads = new Float64Array(lines.workers);
    fit.run();
    for (let w = 0; w < lines.workers; w++) this.writeWorker(w);
    return sealPlan(lines, table, this.loads, {
      planner: "libra",
      tolerance: options.tolerance,
      chunks: options.chunks,
      leastFinish: this.leastFinish(),
    });
  }

  // Home part A, foreign work, home part B: where home work suffices, the first and the last chunk
  // hold home work only, so that traffic of other groups is hidden behind it.
  private writeWorker(w: number): void {
    const { fit, writer, lines } = this;
    const { chunks } = this.options;
    const home = fit.homeCost[w]!;
    const foreignEnd = fit.foreignStart[w]! + fit.foreignCount[w]!;
    let load = home;
    for (let i = fit.foreignStart[w]!; i < foreignEnd; i++) load += fit.foreignCost[i]!;
    writer.begin(w, load, chunks, fit.cutter.headBlock);
    const s = Math.floor(w / lines.input.cp);
    const part = load / chunks;
    if (load === home || home < part || chunks === 1) {
      this.pushHome(w, s);
      this.pushForeign(w);
    } else {
      const before = Math.max(1, Math.round(home / 2 / part));
      this.cutHome(w, s, before * part, part / 64);
      this.pushLine(
        s,
        fit.startHead[w]!,
        fit.startRow[w]!,
        fit.startRowCost[w]!,
        this.middleHead,
        this.middleRow,
        this.middleCost,
      );
      writer.startChunk(before);
      if (home >= 2 * part) writer.lastChunk = Math.max(before, chunks - 2);
      this.pushForeign(w);
      writer.lastChunk = chunks - 1;
      this.pushLine(
        s,
        this.middleHead,
        this.middleRow,
        this.middleCost,
        fit.endHead[w]!,
        fit.endRow[w]!,
        fit.endRowCost[w]!,
      );
    }
    this.loads[w] = writer.end();
  }

  // Sets the position between home parts A and B, inside the worker's home stretch.
  private cutHome(w: number, s: number, cost: number, slack: number): void {
    const { fit } = this;
    fit.cutter.cut(s, fit.startCost[w]! + cost, slack, false);
    const { head, row, rowCost } = fit.cutter;
    const late = head > fit.endHead[w]! || (head === fit.endHead[w]! && row > fit.endRow[w]!);
    this.middleHead = late ? fit.endHead[w]! : head;
    this.middleRow = late ? fit.endRow[w]! : row;
    this.middleCost = late ? fit.endRowCost[w]! : rowCost;
  }

  private pushHome(w: number, s: number): void {
    const { fit } = this;
    this.pushLine(
      s,
      fit.startHead[w]!,
      fit.startRow[w]!,
      fit.startRowCost[w]!,
      fit.endHead[w]!,
      fit.endRow[w]!,
      fit.endRowCost[w]!,
    );
  }

  private pushForeign(w: number): void {
    const { fit } = this;
    const start = fit.foreignStart[w]!;
    for (let i = start; i < start + fit.foreignCount[w]!; i++) {
      this.pushLine(
        fit.foreignSequence[i]!,
        fit.foreignStartHead[i]!,
        fit.foreignStartRow[i]!,
        fit.foreignStartRowCost[i]!,
        fit.foreignEndHead[i]!,
        fit.foreignEndRow[i]!,
        fit.foreignEndRowCost[i]!,
      );
    }
  }

  /** Writes a stretch of a line: the tail of one block, whole blocks, the start of another. */
  private pushLine(
    s: number,
    head: number,
    row: number,
    rowCost: number,
    endHead: number,
    endRow: number,
    endRowCost: number,
  ): void {
    const { lines, writer } = this;
    const queryHeads = lines.heads.queryHeads;
    const block = this.fit.cutter.headBlock;
    const rows = lines.rows(s);
    const whole = lines.headCost(s);
    const width = Math.min(block, queryHeads - head);
    if (row > 0 && head === endHead) {
      writer.push(s, head, head + width, row, endRow, rowCost, endRowCost);
      return;
    }
    if (row > 0) writer.push(s, head, head + width, row, rows, rowCost, whole);
    writer.push(s, row > 0 ? head + width : head, endHead, 0, rows, 0, whole);
    if (endRow > 0) {
      const endWidth = Math.min(block, queryHeads - endHead);
      writer.push(s, endHead, endHead + endWidth, 0, endRow, 0, endRowCost);
    }
  }

  // Nothing beats the perfect split, but whole KV groups also cannot end before the costliest one.
  private leastFinish(): number {
    const { lines, fit, options } = this;
    if (options.granularity === "row") return fit.level;
    let unit = 0;
    for (let s = 0; s < lines.poolSize; s++) {
      unit = Math.max(unit, lines.headCost(s) * fit.cutter.group);
    }
    const { speed, base } = lines.input;
    let least = Number.POSITIVE_INFINITY;
    for (let w = 0; w < lines.workers; w++) {
      least = Math.min(least, ((base?.[w] ?? 0) + unit) / (speed?.[w] ?? 1));
    }
    return Math.max(fit.level, least);
  }
}
