import type { SequenceLines } from "../plan/sequence-lines.js";
import { fillTargets } from "../plan/targets.js";
import { CutState } from "./cut-state.js";
import { HomeCuts } from "./home-cuts.js";
import type { CheckedLibraOptions } from "./libra-options.js";
import type { LineCutter } from "./line-cutter.js";
import type { Stretches } from "./stretches.js";
import { SurplusPour } from "./surplus-pour.js";
import type { WorkLines } from "./work-lines.js";

// Bounds, as shares of the target, of what a cut between heads may give too much; the order is that
// in which they are tried.
const excesses = [400, 1, 800, 330, 500, 600, 1000, 2000].map((x) => 1 / x);
const closeEnough = 0.0028;

/**
 * Cut-to-fit: gives each worker one stretch of its home line and, where its line leaves room,
 * stretches of lines with a surplus.
 */
export class CutToFit {
  /** Finish of a perfect split. */
  level = 0;
  private readonly state: CutState;
  private readonly home: HomeCuts;
  private readonly surplus: SurplusPour;
  private order = new Int32Array(0);

  constructor(pool: SequenceLines, lines: WorkLines, options: CheckedLibraOptions) {
    this.state = new CutState(pool, lines, options);
    this.home = new HomeCuts(this.state);
    this.surplus = new SurplusPour(this.state);
  }

  get cutter(): LineCutter {
    return this.state.cutter;
  }

  get stretches(): Stretches {
    return this.state.stretches;
  }

  /** Cuts the pool, whose lines are loaded. */
  run(tolerance: number): void {
    const { state } = this;
    const { pool, lines, options, cutter } = state;
    const { heads, workers } = pool;
    state.tolerance = tolerance;
    state.reserve(workers, lines.count);
    if (this.order.length < workers) this.order = new Int32Array(workers);
    cutter.group = heads.queryHeads / heads.kvHeads;
    cutter.wholeGroups = options.granularity === "kvGroup";
    cutter.headBlock =
      cutter.wholeGroups || options.headBlock === 0
        ? cutter.group
        : Math.min(options.headBlock, heads.queryHeads);
    this.level = fillTargets(pool, state.targets, this.order);
    for (let l = 0; l < lines.count; l++) {
      state.limit[l] = state.targetOf(l) * (1 + tolerance / 2);
    }
    lines.divide(state.limit);
    // Cuts that follow one another's rounding even out best, but their errors may pile up; where they
    // break the guarantee, cuts at fixed places, which cannot, replace them.
    state.follow = !cutter.wholeGroups;
    if (state.follow) this.cutClosely();
    else this.cutAll();
    if (state.follow && !this.keepsGuarantee()) {
      state.follow = false;
      this.cutAll();
    }
  }

  // Rounding falls differently for each bound of the excess: the first that is close enough, or the best.
  private cutClosely(): void {
    const { state } = this;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < excesses.length; i++) {
      state.excess = excesses[i]!;
      this.cutAll();
      const most = this.mostLoad();
      if (most <= 1 + state.tolerance + closeEnough) return;
      if (most < least) {
        least = most;
        best = i;
      }
    }
    if (best === excesses.length - 1) return;
    state.excess = excesses[best]!;
    this.cutAll();
  }

  // The largest load over its target.
  private mostLoad(): number {
    const { pool, targets, stretches } = this.state;
    let most = 0;
    for (let w = 0; w < pool.workers; w++) {
      const target = targets[w]!;
      if (target > 0) most = Math.max(most, stretches.load(w) / target);
    }
    return most;
  }

  private cutAll(): void {
    const { lines, pool, stretches } = this.state;
    stretches.clear(pool.workers, lines.count, lines.firstSegment);
    for (let l = 0; l < lines.count; l++) this.home.cut(l);
    // Work that its own group has room for stays there.
    for (let l = 0; l < lines.count; l++) {
      const s = lines.sequence[l]!;
      const first = l === 0 || lines.sequence[l - 1] !== s;
      if (first && l + 1 < lines.count && lines.sequence[l + 1] === s) this.surplus.pour(s);
    }
    this.surplus.pour(-1);
  }

  private keepsGuarantee(): boolean {
    const { pool, cutter, targets, tolerance, stretches } = this.state;
    const block = cutter.headBlock * pool.longestBlock();
    for (let w = 0; w < pool.workers; w++) {
      if (stretches.load(w) > (1 + tolerance) * targets[w]! + block) return false;
    }
    return true;
  }
}
