import { LibraError } from "@libra/base";
import { ChunkWriter } from "../plan/chunk-writer.js";
import { LivePlan } from "../plan/live-plan.js";
import { type PlanProperties, sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";
import { timeline } from "../report/timeline.js";
import { CutToFit } from "./cut-to-fit.js";
import { type CheckedLibraOptions, checkLibraOptions, type LibraOptions } from "./libra-options.js";
import { Positions } from "./positions.js";

/** The Libra planner. */
export interface LibraPlanner extends TilePlanner {
  /**
   * Plans into buffers that are reused: the plan is valid until the next call and its columns are
   * longer than `count`. Nothing is allocated while the shapes stay the same and only lengths change
   * (with `tolerance: "auto"` the prediction allocates).
   */
  replan(input: PoolInput): TilePlan;
}

/**
 * The Libra planner (cut-to-fit): home work first, the surplus of heavy groups cut to fit the room
 * of light ones. With granularity "row" every worker's load is at most `(1 + tolerance)·target +
 * one row block of one head block of the costliest document in the pool`.
 *
 * @throws LibraError `ARGUMENT` for a bad option; its `plan` also throws `PLAN` when no tolerance
 *   meets `heldCap`
 */
export function libra(options: LibraOptions = {}): LibraPlanner {
  const checked = checkLibraOptions(options);
  const planning = new LibraPlanning(checked);
  return Object.freeze({
    name: "libra",
    scope: "pool",
    splitsRows: checked.granularity === "row",
    needsKeyRanges: false,
    changesStep: false,
    plan: (input: PoolInput) => planning.plan(input),
    replan: (input: PoolInput) => planning.replan(input),
  });
}

// Tolerances that "auto" and the memory cap try, from even to no movement at all.
const tolerances = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1e6];

/** The buffers of a planner; they carry nothing from one plan to the next. */
class LibraPlanning {
  private readonly lines = new SequenceLines();
  private readonly table = new TileTable();
  private readonly writer = new ChunkWriter(this.lines, this.table);
  private readonly fit: CutToFit;
  private readonly live = new LivePlan();
  private loads = new Float64Array(0);
  private held = new Float64Array(0);
  private readonly middle = new Positions();

  constructor(private readonly options: CheckedLibraOptions) {
    this.fit = new CutToFit(this.lines, options);
    this.middle.reserve(1);
  }

  plan(input: PoolInput): TilePlan {
    const properties = this.fill(input);
    return sealPlan(this.lines, this.table, this.loads, properties);
  }

  replan(input: PoolInput): TilePlan {
    const properties = this.fill(input);
    return this.live.update(this.lines, this.table, this.loads, properties);
  }

  private fill(input: PoolInput): PlanProperties {
    const { lines, options } = this;
    lines.load(input);
    if (this.loads.length < lines.workers) {
      this.loads = new Float64Array(lines.workers);
      this.held = new Float64Array(lines.workers);
    }
    const wanted = options.tolerance === "auto" ? this.fastest(options) : options.tolerance;
    if (this.writeWithinCap(wanted)) return this.properties;
    for (const tolerance of tolerances) {
      if (tolerance > wanted && this.writeWithinCap(tolerance)) return this.properties;
    }
    const most = this.mostHeld();
    throw new LibraError(
      "PLAN",
      `A worker would hold ${most} rows × heads even if no work moved, above the cap of ${options.heldCap}; an even split holds ${this.evenlyHeld()}`,
      { details: { most, cap: options.heldCap } },
    );
  }

  private readonly properties = { planner: "libra", chunks: 1, tolerance: 0, leastFinish: 0 };

  private write(tolerance: number): void {
    const { lines, table, fit, properties } = this;
    table.clear();
    fit.run(tolerance);
    for (let w = 0; w < lines.workers; w++) this.writeWorker(w);
    properties.chunks = this.options.chunks;
    properties.tolerance = tolerance;
    properties.leastFinish = this.leastFinish();
  }

  private writeWithinCap(tolerance: number): boolean {
    this.write(tolerance);
    const cap = this.options.heldCap;
    return cap === Number.POSITIVE_INFINITY || this.mostHeld() <= cap;
  }

  private fastest(options: CheckedLibraOptions): number {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const tolerance of tolerances) {
      this.write(tolerance);
      const plan = this.live.update(this.lines, this.table, this.loads, this.properties);
      const { seconds } = timeline(plan, options.timing!);
      if (seconds < least) {
        least = seconds;
        best = tolerance;
      }
    }
    return best;
  }

  private mostHeld(): number {
    const { held, table, lines } = this;
    const { worker, rowCount, headCount } = table.columns;
    held.fill(0, 0, lines.workers);
    let most = 0;
    for (let t = 0; t < table.count; t++) {
      const w = worker[t]!;
      held[w]! += rowCount[t]! * headCount[t]!;
      most = Math.max(most, held[w]!);
    }
    return most;
  }

  private evenlyHeld(): number {
    const { lines } = this;
    let rows = 0;
    for (let s = 0; s < lines.poolSize; s++) rows += lines.rows(s);
    return Math.ceil((rows * lines.heads.queryHeads) / lines.workers);
  }

  // Home part A, foreign work, home part B: where home work suffices, the first and the last chunk
  // hold home work only, so that traffic of other groups is hidden behind it.
  private writeWorker(w: number): void {
    const { fit, writer, lines } = this;
    const { stretches } = fit;
    const { chunks } = this.options;
    const home = stretches.homeCost[w]!;
    const load = stretches.load(w);
    writer.begin(w, load, chunks, fit.cutter.headBlock);
    const s = Math.floor(w / lines.input.cp);
    const part = load / chunks;
    if (load === home || home < part || chunks === 1) {
      this.pushLine(s, stretches.start, w, stretches.end, w);
      this.pushForeign(w);
    } else {
      const before = Math.max(1, Math.round(home / 2 / part));
      this.cutHome(w, s, before * part, part / 64);
      this.pushLine(s, stretches.start, w, this.middle, 0);
      writer.startChunk(before);
      if (home >= 2 * part) writer.lastChunk = Math.max(before, chunks - 2);
      this.pushForeign(w);
      writer.lastChunk = chunks - 1;
      this.pushLine(s, this.middle, 0, stretches.end, w);
    }
    this.loads[w] = writer.end();
  }

  // Sets the position between home parts A and B, inside the worker's home stretch.
  private cutHome(w: number, s: number, cost: number, slack: number): void {
    const { middle } = this;
    const { cutter, stretches } = this.fit;
    const { start, end } = stretches;
    cutter.cut(s, stretches.startCost[w]! + cost, slack, Number.POSITIVE_INFINITY, false);
    middle.copy(0, cutter.place, 0);
    if (middle.before(0, start, w)) middle.copy(0, start, w);
    if (end.before(w, middle, 0)) middle.copy(0, end, w);
  }

  private pushForeign(w: number): void {
    const { stretches } = this.fit;
    const first = stretches.foreignFirst[w]!;
    for (let i = first; i < first + stretches.foreignCount[w]!; i++) {
      const s = stretches.foreignSequence[i]!;
      this.pushLine(s, stretches.foreignStart, i, stretches.foreignEnd, i);
    }
  }

  /**
   * Writes a stretch of a line: the other heads of a row block, the tail of its head block, whole
   * blocks, the start of another and the first heads of a row block.
   */
  private pushLine(s: number, from: Positions, i: number, to: Positions, j: number): void {
    const { lines, writer } = this;
    let head = from.head[i]!;
    let row = from.row[i]!;
    let rowCost = from.rowCost[i]!;
    const part = from.part[i]!;
    const endHead = to.head[j]!;
    const endRow = to.row[j]!;
    const endPart = to.part[j]!;
    if (!from.before(i, to, j)) return;
    const rows = lines.rows(s);
    const whole = lines.headCost(s);
    if (part > 0) {
      const next = lines.blockEndAt(s, row);
      const nextCost = lines.costAt(s, next);
      const inside = head === endHead && row === endRow;
      const last = inside ? head + endPart : this.blockEnd(head);
      writer.push(s, head + part, last, row, next, rowCost, nextCost);
      if (inside) return;
      row = next;
      rowCost = nextCost;
    }
    if (head < endHead && row > 0) {
      writer.push(s, head, this.blockEnd(head), row, rows, rowCost, whole);
      head = this.blockEnd(head);
      row = 0;
      rowCost = 0;
    }
    if (head < endHead) {
      writer.push(s, head, endHead, 0, rows, 0, whole);
      row = 0;
      rowCost = 0;
    }
    const endRowCost = to.rowCost[j]!;
    if (endRow > row) {
      writer.push(s, endHead, this.blockEnd(endHead), row, endRow, rowCost, endRowCost);
    }
    if (endPart > 0) {
      const next = lines.blockEndAt(s, endRow);
      const nextCost = lines.costAt(s, next);
      writer.push(s, endHead, endHead + endPart, endRow, next, endRowCost, nextCost);
    }
  }

  private blockEnd(head: number): number {
    return Math.min(this.lines.heads.queryHeads, head + this.fit.cutter.headBlock);
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
