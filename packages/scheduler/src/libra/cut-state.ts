import type { SequenceLines } from "../plan/sequence-lines.js";
import type { CheckedLibraOptions } from "./libra-options.js";
import { LineCutter } from "./line-cutter.js";
import { Stretches } from "./stretches.js";
import type { WorkLines } from "./work-lines.js";

/** What the steps of a cut-to-fit share: targets, what is given out, and how cuts are rounded. */
export class CutState {
  readonly cutter: LineCutter;
  readonly stretches = new Stretches();
  /** Target of each worker, and what may stay of each line. */
  targets = new Float64Array(0);
  limit = new Float64Array(0);
  /** Work of each line that must leave, −1 for none; and what its workers have room for. */
  surplus = new Float64Array(0);
  deficit = new Float64Array(0);
  tolerance = 0;
  /** Whether a cut makes up for the rounding of those before it. */
  follow = true;
  /** What a cut between heads may give too much, as a share of the target. */
  excess = Number.POSITIVE_INFINITY;

  constructor(
    readonly pool: SequenceLines,
    readonly lines: WorkLines,
    readonly options: CheckedLibraOptions,
  ) {
    this.cutter = new LineCutter(lines);
  }

  /** Makes room; what was there is void. */
  reserve(workers: number, lines: number): void {
    if (this.targets.length < workers) this.targets = new Float64Array(workers);
    if (this.surplus.length >= lines) return;
    this.limit = new Float64Array(lines);
    this.surplus = new Float64Array(lines);
    this.deficit = new Float64Array(lines);
  }

  /** Targets of a line's workers together. */
  targetOf(l: number): number {
    const { firstWorker, width } = this.lines;
    let target = 0;
    for (let w = firstWorker[l]!; w < firstWorker[l]! + width[l]!; w++) target += this.targets[w]!;
    return target;
  }

  /** Whether some of a line is not given out. */
  isOpen(l: number): boolean {
    const { lines } = this;
    const { line } = this.stretches;
    if (lines.rows[l]! === 0) return false;
    return line.segment[l]! + 1 < lines.firstSegment[l + 1]! || line.head[l]! < lines.queryHeads;
  }

  /** Cuts near `cost` from the line's start, for a worker whose stretch ends there. */
  cutNear(l: number, cost: number, worker: number, excess = this.room(l, cost, worker)): void {
    const slack = this.slack(worker);
    // A miss of a two-thousandth of the target is not worth a tile of its own.
    const miss = this.follow
      ? Math.max(slack, this.targets[worker]! / 2000)
      : Number.POSITIVE_INFINITY;
    // Too little is better than too much: later cuts share what a worker lacks.
    this.cutter.excess = excess;
    this.cutter.cut(l, cost, slack, miss, false);
  }

  // What the worker may get beyond a cut at `cost`.
  private room(l: number, cost: number, worker: number): number {
    const { stretches } = this;
    const load = stretches.load(worker) + cost - stretches.lineCost[l]!;
    return Math.max(0, (1 + this.tolerance + this.excess) * this.targets[worker]! - load);
  }

  // A quarter of the tolerance; of a large one no more than a hundredth of the target, since work
  // that stays in its group should still be cut evenly.
  private slack(worker: number): number {
    return (Math.min(this.tolerance, 0.05) / 4) * this.targets[worker]!;
  }
}
