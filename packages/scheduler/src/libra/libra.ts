import { LibraError } from "@libra/base";
import { documentCost } from "@libra/cost-model";
import { LivePlan } from "../plan/live-plan.js";
import { type PlanProperties, sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";
import { timeline } from "../report/timeline.js";
import { CutToFit } from "./cut-to-fit.js";
import { DocumentWork } from "./document-work.js";
import { type CheckedLibraOptions, checkLibraOptions, type LibraOptions } from "./libra-options.js";
import { StretchWriter } from "./stretch-writer.js";
import { HeadLines, type WorkLines } from "./work-lines.js";

/** The Libra planner. */
export interface LibraPlanner extends TilePlanner {
  /**
   * Plans into buffers that are reused: the plan is valid until the next call and its columns are
   * longer than `count`. No buffer is allocated while the shapes stay the same and only lengths change
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
  private readonly work: WorkLines;
  private readonly table = new TileTable();
  private readonly fit: CutToFit;
  private readonly writer: StretchWriter;
  private readonly live = new LivePlan();
  private loads = new Float64Array(0);
  private held = new Float64Array(0);

  constructor(private readonly options: CheckedLibraOptions) {
    this.work =
      options.surplus === "heads" ? new HeadLines(this.lines) : new DocumentWork(this.lines);
    this.fit = new CutToFit(this.lines, this.work, options);
    this.writer = new StretchWriter(this.lines, this.work, this.fit, this.table, options.chunks);
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
    this.work.load();
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
    const { table, fit, properties } = this;
    table.clear();
    fit.run(tolerance);
    this.writer.write(this.loads);
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

  // Nothing beats the perfect split, but whole KV groups also cannot end before the costliest one.
  private leastFinish(): number {
    const { lines, fit, options } = this;
    if (options.granularity === "row") return fit.level;
    let unit = 0;
    if (options.surplus === "documents") unit = documentCost(lines.cost, lines.longest);
    else for (let s = 0; s < lines.poolSize; s++) unit = Math.max(unit, lines.headCost(s));
    unit *= fit.cutter.group;
    const { speed, base } = lines.input;
    let least = Number.POSITIVE_INFINITY;
    for (let w = 0; w < lines.workers; w++) {
      least = Math.min(least, ((base?.[w] ?? 0) + unit) / (speed?.[w] ?? 1));
    }
    return Math.max(fit.level, least);
  }
}
