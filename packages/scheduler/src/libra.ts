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
    const head = fit.endHead[w]!;
    const row = fit.endRow[w]!;
    if (load === home || home < part || chunks === 1) {
      this.pushLine(s, fit.startHead[w]!, fit.startRow[w]!, head, row);
      this.pushForeign(w);
    } else {
      const before = Math.max(1, Math.round(home / 2 / part));
      fit.cutter.cut(s, fit.startCost[w]! + before * part, part / 64, false);
      const [middleHead, middleRow] = this.clampCut(w);
      this.pushLine(s, fit.startHead[w]!, fit.startRow[w]!, middleHead, middleRow);
      writer.startChunk(before);
      if (home >= 2 * part) writer.lastChunk = Math.max(before, chunks - 2);
      this.pushForeign(w);
      writer.lastChunk = chunks - 1;
      this.pushLine(s, middleHead, middleRow, head, row);
    }
    this.loads[w] = writer.end();
  }

  private clampCut(w: number): [head: number, row: number] {
    const { fit } = this;
    const { head, row } = fit.cutter;
    const late = head > fit.endHead[w]! || (head === fit.endHead[w]! && row > fit.endRow[w]!);
    return late ? [fit.endHead[w]!, fit.endRow[w]!] : [head, row];
  }

  private pushForeign(w: number): void {
    const { fit } = this;
    const start = fit.foreignStart[w]!;
    for (let i = start; i < start + fit.foreignCount[w]!; i++) {
      this.pushLine(
        fit.foreignSequence[i]!,
        fit.foreignStartHead[i]!,
        fit.foreignStartRow[i]!,
        fit.foreignEndHead[i]!,
        fit.foreignEndRow[i]!,
      );
    }
  }

  /** Writes a stretch of a line: the tail of one block, whole blocks, the start of another. */
  private pushLine(s: number, head: number, row: number, endHead: number, endRow: number): void {
    const { lines, writer } = this;
    const queryHeads = lines.heads.queryHeads;
    const block = this.fit.cutter.headBlock;
    const rows = lines.rows(s);
    const width = Math.min(block, queryHeads - head);
    if (row > 0 && head === endHead) {
      writer.push(s, head, head + width, row, endRow);
      return;
    }
    if (row > 0) writer.push(s, head, head + width, row, rows);
    writer.push(s, row > 0 ? head + width : head, endHead, 0, rows);
    if (endRow > 0) {
      writer.push(s, endHead, Math.min(queryHeads, endHead + block), 0, endRow);
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
