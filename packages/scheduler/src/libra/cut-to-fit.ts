import { linkClass } from "@libra/topology";
import type { SequenceLines } from "../plan/sequence-lines.js";
import { fillTargets } from "../plan/targets.js";
import type { CheckedLibraOptions } from "./libra-options.js";
import { LineCutter } from "./line-cutter.js";
import { Stretches } from "./stretches.js";
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
  readonly cutter: LineCutter;
  readonly stretches = new Stretches();
  targets = new Float64Array(0);
  /** Finish of a perfect split. */
  level = 0;
  private tolerance = 0;
  private follow = true;
  private excess = Number.POSITIVE_INFINITY;
  private order = new Int32Array(0);
  private limit = new Float64Array(0);
  private surplus = new Float64Array(0);
  private deficit = new Float64Array(0);
  private donors = new Int32Array(0);

  constructor(
    private readonly pool: SequenceLines,
    private readonly lines: WorkLines,
    private readonly options: CheckedLibraOptions,
  ) {
    this.cutter = new LineCutter(lines);
  }

  /** Cuts the pool, whose lines are loaded. */
  run(tolerance: number): void {
    this.tolerance = tolerance;
    const { pool, lines, options, cutter } = this;
    const { heads, workers } = pool;
    if (this.targets.length < workers || this.surplus.length < lines.count) {
      this.allocate(workers, lines.count);
    }
    cutter.group = heads.queryHeads / heads.kvHeads;
    cutter.wholeGroups = options.granularity === "kvGroup";
    cutter.headBlock =
      cutter.wholeGroups || options.headBlock === 0
        ? cutter.group
        : Math.min(options.headBlock, heads.queryHeads);
    this.level = fillTargets(pool, this.targets, this.order);
    for (let l = 0; l < lines.count; l++) {
      this.limit[l] = this.targetOf(l) * (1 + tolerance / 2);
    }
    lines.divide(this.limit);
    // Cuts that follow one another's rounding even out best, but their errors may pile up; where they
    // break the guarantee, cuts at fixed places, which cannot, replace them.
    this.follow = !cutter.wholeGroups;
    if (this.follow) this.cutClosely();
    else this.cutAll();
    if (this.follow && !this.keepsGuarantee()) {
      this.follow = false;
      this.cutAll();
    }
  }

  // Rounding falls differently for each bound of the excess: the first that is close enough, or the best.
  private cutClosely(): void {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < excesses.length; i++) {
      this.excess = excesses[i]!;
      this.cutAll();
      const most = this.mostLoad();
      if (most <= 1 + this.tolerance + closeEnough) return;
      if (most < least) {
        least = most;
        best = i;
      }
    }
    if (best === excesses.length - 1) return;
    this.excess = excesses[best]!;
    this.cutAll();
  }

  // The largest load over its target.
  private mostLoad(): number {
    let most = 0;
    for (let w = 0; w < this.pool.workers; w++) {
      const target = this.targets[w]!;
      if (target > 0) most = Math.max(most, this.stretches.load(w) / target);
    }
    return most;
  }

  private cutAll(): void {
    const { lines, pool } = this;
    this.stretches.clear(pool.workers, lines.count, lines.firstSegment);
    for (let l = 0; l < lines.count; l++) this.cutHome(l);
    // Work that its own group has room for stays there.
    for (let l = 0; l < lines.count; l++) {
      const s = lines.sequence[l]!;
      const first = l === 0 || lines.sequence[l - 1] !== s;
      if (first && l + 1 < lines.count && lines.sequence[l + 1] === s) this.pour(s);
    }
    this.pour(-1);
  }

  private keepsGuarantee(): boolean {
    const { pool, cutter, targets, tolerance } = this;
    const block = cutter.headBlock * pool.longestBlock();
    for (let w = 0; w < pool.workers; w++) {
      if (this.stretches.load(w) > (1 + tolerance) * targets[w]! + block) return false;
    }
    return true;
  }

  private targetOf(l: number): number {
    const { firstWorker, width } = this.lines;
    let target = 0;
    for (let w = firstWorker[l]!; w < firstWorker[l]! + width[l]!; w++) target += this.targets[w]!;
    return target;
  }

  // Home first: a line's workers keep what fits their targets; the rest of the line is surplus.
  private cutHome(l: number): void {
    const { lines, cutter, stretches } = this;
    const target = this.targetOf(l);
    const work = lines.work[l]!;
    const donor = work > this.limit[l]!;
    const keep = donor ? this.limit[l]! : work;
    // A donor that would end below its target would push more than its surplus on the others, so it
    // rounds every cut up instead (each worker then exceeds its part by one block at most).
    let up = false;
    let keepEnd = keep;
    if (donor) {
      this.cutNear(l, keep, lines.firstWorker[l]! + lines.width[l]! - 1, Number.POSITIVE_INFINITY);
      keepEnd = cutter.cost;
      up = keepEnd < target && !this.follow && !cutter.wholeGroups;
    }
    const staying = donor ? lines.stayingCost(l) : 0;
    if (staying > 0) {
      // Documents that stay are shared evenly among themselves, or one worker would hold most rows.
      this.share(l, target, staying, staying, false, false);
      this.shareRest(l, target, keep, keepEnd, up);
    } else this.share(l, target, keep, keepEnd, !donor, up);
    const open = this.isOpen(l);
    this.surplus[l] = open ? work - stretches.lineCost[l]! : -1;
    this.deficit[l] = open ? 0 : Math.max(0, target - work);
  }

  // Gives the line's first part, up to `keep` or its end, to its workers by their targets.
  private share(
    l: number,
    target: number,
    keep: number,
    keepEnd: number,
    toEnd: boolean,
    up: boolean,
  ): void {
    const { lines, cutter, stretches, targets } = this;
    const packed = this.options.fill === "packed" && lines.work[l]! < target;
    const end = lines.firstWorker[l]! + lines.width[l]!;
    let share = 0;
    for (let w = lines.firstWorker[l]!; w < end; w++) {
      share += targets[w]!;
      const last = w === end - 1;
      if (last && toEnd) cutter.end(l);
      else {
        const goal = packed
          ? Math.min(keep, share)
          : last
            ? keep
            : this.evenGoal(w, target, share, keep, keepEnd, stretches.lineCost[l]!);
        this.cutHomeAt(l, goal, w, up);
      }
      stretches.takeHome(w, l, cutter);
    }
  }

  // Gives the line's work up to `keep` to its workers by what each still lacks of its even part.
  private shareRest(l: number, target: number, keep: number, keepEnd: number, up: boolean): void {
    const { lines, cutter, stretches, targets } = this;
    const first = lines.firstWorker[l]!;
    const end = first + lines.width[l]!;
    const lack = (w: number) =>
      Math.max(0, (keepEnd * targets[w]!) / target - stretches.homeCost[w]!);
    let lacking = 0;
    for (let w = first; w < end; w++) lacking += lack(w);
    const start = stretches.lineCost[l]!;
    const scale = lacking > 0 ? (keepEnd - start) / lacking : 0;
    let given = 0;
    for (let w = first; w < end; w++) {
      const own = lack(w);
      given += own;
      const last = given >= lacking * (1 - 1e-12);
      const cost = stretches.lineCost[l]!;
      const rest = lacking - given + own;
      const goal =
        this.follow && rest > 0 ? cost + ((keepEnd - cost) * own) / rest : start + given * scale;
      if (own === 0 && !last) continue;
      this.cutHomeAt(l, last ? keep : goal, w, up);
      stretches.takeForeign(w, l, cutter);
      if (last) break;
    }
  }

  private cutHomeAt(l: number, cost: number, worker: number, up: boolean): void {
    if (up) this.cutter.cut(l, cost, 0, Number.POSITIVE_INFINITY, true);
    else this.cutNear(l, cost, worker);
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

  /**
   * Gives the surpluses of all lines, end to end, to the lines with room, cut at cumulative needs
   * scaled to their sum.
   *
   * @param group - among the lines of this sequence, and no more than they need; -1 for all
   */
  private pour(group: number): void {
    const { lines, cutter, stretches, surplus, deficit, targets, donors } = this;
    let count = 0;
    let surplusSum = 0;
    let needSum = 0;
    for (let l = 0; l < lines.count; l++) {
      if (group >= 0 && lines.sequence[l] !== group) continue;
      if (surplus[l]! >= 0) {
        donors[count++] = l;
        surplusSum += surplus[l]!;
      } else if (deficit[l]! > 0) {
        const first = lines.firstWorker[l]!;
        for (let w = first; w < first + lines.width[l]!; w++) needSum += this.need(w);
      }
    }
    if (count === 0) return;
    sortBy(donors, count, surplus);
    // Inside a group the needs are met one after another: what they lack comes from other groups.
    let scale = needSum > 0 ? (group < 0 ? surplusSum / needSum : 1) : 0;
    let recipient = -1;
    let offset = 0;
    let left = 0;
    for (let i = 0; i < count; i++) {
      const l = donors[i]!;
      const end = lines.work[l]!;
      let goal = stretches.lineCost[l]!;
      const surplusStart = goal;
      for (;;) {
        while (left <= 0) {
          if (recipient < 0 || ++offset >= lines.width[recipient]!) {
            recipient = scale > 0 ? this.nextRecipient(l, group) : -1;
            if (recipient < 0) break;
            offset = 0;
          }
          const need = this.need(this.worker(recipient, offset));
          if (this.follow && needSum > 0) {
            goal = stretches.lineCost[l]!;
            if (group < 0) scale = Math.max(0, surplusSum - (goal - surplusStart)) / needSum;
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
          cutter.end(l);
          stretches.takeForeign(worker, l, cutter);
          break;
        }
        goal += left;
        left = 0;
        this.cutNear(l, goal, worker);
        stretches.takeForeign(worker, l, cutter);
      }
      surplusSum -= surplus[l]!;
      // Without a recipient (a surplus that is rounding only) the line's end stays at home.
      if (group < 0 && this.isOpen(l)) {
        cutter.end(l);
        stretches.extend(lines.firstWorker[l]! + lines.width[l]! - 1, l, cutter);
      }
      surplus[l] = this.isOpen(l) ? end - stretches.lineCost[l]! : -1;
    }
    if (group >= 0) this.measureRoom(group);
  }

  // What the lines of a group still have room for.
  private measureRoom(group: number): void {
    const { lines, surplus, deficit } = this;
    for (let l = 0; l < lines.count; l++) {
      if (lines.sequence[l] !== group || surplus[l]! >= 0) continue;
      let room = 0;
      const first = lines.firstWorker[l]!;
      for (let w = first; w < first + lines.width[l]!; w++) room += this.need(w);
      deficit[l] = room;
    }
  }

  private isOpen(l: number): boolean {
    const { lines } = this;
    const { line } = this.stretches;
    if (lines.rows[l]! === 0) return false;
    return line.segment[l]! + 1 < lines.firstSegment[l + 1]! || line.head[l]! < lines.queryHeads;
  }

  // The nearest line by link class, then the one with the largest deficit.
  private nextRecipient(donor: number, group: number): number {
    const { lines, deficit } = this;
    const { nodes, ranks } = this.pool.input;
    const rank = (l: number) => {
      const worker = lines.firstWorker[l]!;
      return ranks === undefined ? worker : ranks[worker]!;
    };
    let best = -1;
    let bestClass = 0;
    for (let l = 0; l < lines.count; l++) {
      if (deficit[l]! <= 0 || (group >= 0 && lines.sequence[l] !== group)) continue;
      const link = nodes === undefined ? 0 : linkClass(nodes, rank(donor), rank(l));
      if (best < 0 || link < bestClass || (link === bestClass && deficit[l]! > deficit[best]!)) {
        best = l;
        bestClass = link;
      }
    }
    if (best >= 0) deficit[best] = 0;
    return best;
  }

  private worker(line: number, offset: number): number {
    const { firstWorker, width } = this.lines;
    const at = this.options.fill === "spread" ? offset : width[line]! - 1 - offset;
    return firstWorker[line]! + at;
  }

  // What rounding left to a worker that has its foreign work already is not worth another piece.
  private need(worker: number): number {
    const target = this.targets[worker]!;
    const need = target - this.stretches.load(worker);
    const filled = this.stretches.foreignFirst[worker]! >= 0 && need < target / 400;
    return filled ? 0 : Math.max(0, need);
  }

  private cutNear(
    l: number,
    cost: number,
    worker: number,
    excess = this.room(l, cost, worker),
  ): void {
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
    return (1 + this.tolerance + this.excess) * this.targets[worker]! - load;
  }

  // A quarter of the tolerance; of a large one no more than a hundredth of the target, since work
  // that stays in its group should still be cut evenly.
  private slack(worker: number): number {
    return (Math.min(this.tolerance, 0.05) / 4) * this.targets[worker]!;
  }

  private allocate(workers: number, lines: number): void {
    this.targets = new Float64Array(workers);
    this.order = new Int32Array(workers);
    this.limit = new Float64Array(lines);
    this.surplus = new Float64Array(lines);
    this.deficit = new Float64Array(lines);
    this.donors = new Int32Array(lines);
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
