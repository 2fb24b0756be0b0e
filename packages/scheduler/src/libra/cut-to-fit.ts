import { linkClass } from "@libra/topology";
import type { SequenceLines } from "../plan/sequence-lines.js";
import { fillTargets } from "../plan/targets.js";
import type { CheckedLibraOptions } from "./libra-options.js";
import { LineCutter } from "./line-cutter.js";
import { Stretches } from "./stretches.js";

/**
 * Cut-to-fit: gives each worker one stretch of its home sequence's line and, where its group has
 * room, stretches of lines of groups with a surplus.
 */
export class CutToFit {
  readonly cutter: LineCutter;
  readonly stretches = new Stretches();
  targets = new Float64Array(0);
  /** Finish of a perfect split. */
  level = 0;
  private tolerance = 0;
  private follow = true;
  private order = new Int32Array(0);
  private surplus = new Float64Array(0);
  private deficit = new Float64Array(0);
  private donors = new Int32Array(0);

  constructor(
    private readonly lines: SequenceLines,
    private readonly options: CheckedLibraOptions,
  ) {
    this.cutter = new LineCutter(lines);
  }

  /** Cuts the pool that `lines` holds. */
  run(tolerance: number): void {
    this.tolerance = tolerance;
    const { lines, options, cutter } = this;
    const { heads, workers, poolSize } = lines;
    if (this.targets.length < workers || this.surplus.length < poolSize) {
      this.allocate(workers, poolSize);
    }
    cutter.group = heads.queryHeads / heads.kvHeads;
    cutter.wholeGroups = options.granularity === "kvGroup";
    cutter.headBlock =
      cutter.wholeGroups || options.headBlock === 0
        ? cutter.group
        : Math.min(options.headBlock, heads.queryHeads);
    this.level = fillTargets(lines, this.targets, this.order);
    // Cuts that follow one another's rounding even out best, but their errors may pile up; where they
    // break the guarantee, cuts at fixed places, which cannot, replace them.
    this.follow = !cutter.wholeGroups;
    this.cutAll();
    if (this.follow && !this.keepsGuarantee()) {
      this.follow = false;
      this.cutAll();
    }
  }

  private cutAll(): void {
    const { workers, poolSize } = this.lines;
    this.stretches.clear(workers, poolSize);
    for (let s = 0; s < poolSize; s++) this.cutHome(s);
    this.cutForeign();
  }

  private keepsGuarantee(): boolean {
    const { lines, cutter, targets, tolerance } = this;
    const block = cutter.headBlock * lines.longestBlock();
    for (let w = 0; w < lines.workers; w++) {
      if (this.stretches.load(w) > (1 + tolerance) * targets[w]! + block) return false;
    }
    return true;
  }

  // Home first: a group keeps what fits its targets; the rest of its line is surplus.
  private cutHome(s: number): void {
    const { lines, options, cutter, stretches, targets, tolerance } = this;
    const { cp } = lines.input;
    const first = s * cp;
    let target = 0;
    for (let w = first; w < first + cp; w++) target += targets[w]!;
    const work = lines.headCost(s) * lines.heads.queryHeads;
    const limit = target * (1 + tolerance / 2);
    const donor = work > limit;
    const keep = donor ? limit : work;
    // A donor that would end below its target would push more than its surplus on the others, so it
    // rounds every cut up instead (each worker then exceeds its part by one block at most).
    let up = false;
    let keepEnd = keep;
    if (donor) {
      this.cutNear(s, keep, first + cp - 1);
      keepEnd = cutter.cost;
      up = keepEnd < target && !this.follow && !cutter.wholeGroups;
    }
    const packed = options.fill === "packed" && work < target;
    let share = 0;
    for (let w = first; w < first + cp; w++) {
      share += targets[w]!;
      const last = w === first + cp - 1;
      if (last && !donor) cutter.end(s);
      else {
        const goal = packed
          ? Math.min(keep, share)
          : last
            ? keep
            : this.evenGoal(w, target, share, keep, keepEnd, stretches.lineCost[s]!);
        if (up) cutter.cut(s, goal, 0, Number.POSITIVE_INFINITY, true);
        else this.cutNear(s, goal, w);
      }
      stretches.takeHome(w, s, cutter);
    }
    const open = stretches.line.head[s]! < lines.heads.queryHeads && lines.rows(s) > 0;
    this.surplus[s] = open ? work - stretches.lineCost[s]! : -1;
    this.deficit[s] = open ? 0 : Math.max(0, target - work);
  }

  // Where worker `w`'s even part of the home work ends: `share` of `target` are given out with it.
  private evenGoal(
    w: number,
    target: number,
    share: number,
    keep: number,
    keepEnd: number,
    cost: number,
  ): number {
    if (target <= 0) return 0;
    if (!this.follow) return keep * Math.min(1, share / target);
    const own = this.targets[w]!;
    const rest = target - share + own;
    return rest > own ? cost + ((keepEnd - cost) * own) / rest : keepEnd;
  }

  // The surpluses of all donors, end to end, are cut at cumulative needs scaled to their sum.
  private cutForeign(): void {
    const { lines, cutter, stretches, surplus, deficit, targets, donors } = this;
    const { poolSize } = lines;
    const { cp } = lines.input;
    let count = 0;
    let surplusSum = 0;
    let needSum = 0;
    for (let s = 0; s < poolSize; s++) {
      if (surplus[s]! >= 0) {
        donors[count++] = s;
        surplusSum += surplus[s]!;
      } else if (deficit[s]! > 0) {
        for (let w = s * cp; w < (s + 1) * cp; w++) needSum += this.need(w);
      }
    }
    if (count === 0) return;
    sortBy(donors, count, surplus);
    let scale = needSum > 0 ? surplusSum / needSum : 0;
    let recipient = -1;
    let offset = cp;
    let left = 0;
    for (let i = 0; i < count; i++) {
      const s = donors[i]!;
      const end = lines.headCost(s) * lines.heads.queryHeads;
      let goal = stretches.lineCost[s]!;
      const surplusStart = goal;
      for (;;) {
        while (left <= 0) {
          if (++offset >= cp) {
            recipient = scale > 0 ? this.nextRecipient(s) : -1;
            if (recipient < 0) break;
            offset = 0;
          }
          const need = this.need(this.worker(recipient, offset));
          if (this.follow && needSum > 0) {
            goal = stretches.lineCost[s]!;
            scale = Math.max(0, surplusSum - (goal - surplusStart)) / needSum;
          }
          left = need * scale;
          needSum -= need;
        }
        if (recipient < 0) break;
        const worker = this.worker(recipient, offset);
        // What rounding of the scale leaves belongs to the last piece.
        if (goal + left >= end - 1e-12 * end) {
          left -= end - goal;
          if (left <= 1e-12 * targets[worker]!) left = 0;
          cutter.end(s);
          stretches.takeForeign(worker, s, cutter);
          break;
        }
        goal += left;
        left = 0;
        this.cutNear(s, goal, worker);
        stretches.takeForeign(worker, s, cutter);
      }
      // Without a recipient (a surplus that is rounding only) the line's end stays at home.
      if (stretches.line.head[s]! < lines.heads.queryHeads) {
        cutter.end(s);
        stretches.extend((s + 1) * cp - 1, s, cutter);
      }
      surplusSum -= surplus[s]!;
    }
  }

  // The nearest group by link class, then the one with the largest deficit.
  private nextRecipient(donor: number): number {
    const { lines, deficit } = this;
    const { cp, nodes, ranks } = lines.input;
    const rank = (s: number) => (ranks === undefined ? s * cp : ranks[s * cp]!);
    let best = -1;
    let bestClass = 0;
    for (let s = 0; s < lines.poolSize; s++) {
      if (deficit[s]! <= 0) continue;
      const link = nodes === undefined ? 0 : linkClass(nodes, rank(donor), rank(s));
      if (best < 0 || link < bestClass || (link === bestClass && deficit[s]! > deficit[best]!)) {
        best = s;
        bestClass = link;
      }
    }
    if (best >= 0) deficit[best] = 0;
    return best;
  }

  private worker(group: number, offset: number): number {
    const cp = this.lines.input.cp;
    return group * cp + (this.options.fill === "spread" ? offset : cp - 1 - offset);
  }

  private need(worker: number): number {
    return Math.max(0, this.targets[worker]! - this.stretches.homeCost[worker]!);
  }

  private cutNear(s: number, cost: number, worker: number): void {
    const slack = this.slack(worker);
    // A miss of a two-thousandth of the target is not worth a tile of its own.
    const miss = this.follow
      ? Math.max(slack, this.targets[worker]! / 2000)
      : Number.POSITIVE_INFINITY;
    this.cutter.cut(s, cost, slack, miss, false);
  }

  // A quarter of the tolerance; of a large one no more than a hundredth of the target, since work
  // that stays in its group should still be cut evenly.
  private slack(worker: number): number {
    return (Math.min(this.tolerance, 0.05) / 4) * this.targets[worker]!;
  }

  private allocate(workers: number, poolSize: number): void {
    this.targets = new Float64Array(workers);
    this.order = new Int32Array(workers);
    this.surplus = new Float64Array(poolSize);
    this.deficit = new Float64Array(poolSize);
    this.donors = new Int32Array(poolSize);
  }
}

// Largest value first, ties by index; pools are small, and nothing is allocated.
function sortBy(order: Int32Array, count: number, value: Float64Array): void {
  for (let i = 1; i < count; i++) {
    const item = order[i]!;
    let j = i;
    for (; j > 0 && value[order[j - 1]!]! < value[item]!; j--) order[j] = order[j - 1]!;
    order[j] = item;
  }
}
