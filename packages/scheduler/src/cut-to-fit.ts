import { linkClass } from "@libra/topology";
import type { CheckedLibraOptions } from "./libra-options.js";
import { LineCutter } from "./line-cutter.js";
import type { SequenceLines } from "./sequence-lines.js";
import { fillTargets } from "./targets.js";

/**
 * Cut-to-fit: gives each worker one stretch of its home sequence's line and, where its group has
 * room, stretches of lines of groups with a surplus. Stretches are columns; those of one worker's
 * foreign work lie together.
 */
export class CutToFit {
  readonly cutter: LineCutter;
  targets = new Float64Array(0);
  /** Finish of a perfect split. */
  level = 0;
  /** Home stretch of each worker: from position `start` to `end`, and its planning cost. */
  startHead = new Int32Array(0);
  startRow = new Int32Array(0);
  endHead = new Int32Array(0);
  endRow = new Int32Array(0);
  startRowCost = new Float64Array(0);
  endRowCost = new Float64Array(0);
  startCost = new Float64Array(0);
  homeCost = new Float64Array(0);
  /** Foreign stretches of worker `w`: `foreignStart[w]` and `foreignCount[w]` into the columns. */
  foreignStart = new Int32Array(0);
  foreignCount = new Int32Array(0);
  foreignSequence = new Int32Array(0);
  foreignStartHead = new Int32Array(0);
  foreignStartRow = new Int32Array(0);
  foreignEndHead = new Int32Array(0);
  foreignEndRow = new Int32Array(0);
  foreignStartRowCost = new Float64Array(0);
  foreignEndRowCost = new Float64Array(0);
  foreignCost = new Float64Array(0);
  private tolerance = 0;
  private follow = true;
  private foreigns = 0;
  private order = new Int32Array(0);
  private surplus = new Float64Array(0);
  private deficit = new Float64Array(0);
  private lineHead = new Int32Array(0);
  private lineRow = new Int32Array(0);
  private lineRowCost = new Float64Array(0);
  private lineCost = new Float64Array(0);
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
    this.foreigns = 0;
    for (let s = 0; s < this.lines.poolSize; s++) this.cutHome(s);
    this.cutForeign();
  }

  private keepsGuarantee(): boolean {
    const { lines, cutter, targets, tolerance } = this;
    const block = cutter.headBlock * lines.longestBlock();
    for (let w = 0; w < lines.workers; w++) {
      let load = this.homeCost[w]!;
      const end = this.foreignStart[w]! + this.foreignCount[w]!;
      for (let i = this.foreignStart[w]!; i < end; i++) load += this.foreignCost[i]!;
      if (load > (1 + tolerance) * targets[w]! + block) return false;
    }
    return true;
  }

  // Home first: a group keeps what fits its targets; the rest of its line is surplus.
  private cutHome(s: number): void {
    const { lines, options, cutter, targets, tolerance } = this;
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
      cutter.cut(s, keep, this.slack(first + cp - 1), false);
      keepEnd = cutter.cost;
      up = keepEnd < target && !this.follow && !cutter.wholeGroups;
    }
    const packed = options.fill === "packed" && work < target;
    let share = 0;
    let head = 0;
    let row = 0;
    let rowCost = 0;
    let cost = 0;
    for (let w = first; w < first + cp; w++) {
      share += targets[w]!;
      this.startHead[w] = head;
      this.startRow[w] = row;
      this.startRowCost[w] = rowCost;
      this.startCost[w] = cost;
      const last = w === first + cp - 1;
      if (last && !donor) cutter.end(s);
      else {
        const goal = packed
          ? Math.min(keep, share)
          : last
            ? keep
            : this.evenGoal(w, target, share, keep, keepEnd, cost);
        cutter.cut(s, goal, up ? 0 : this.slack(w), up);
      }
      if (cutter.head > head || (cutter.head === head && cutter.row > row)) {
        head = cutter.head;
        row = cutter.row;
        rowCost = cutter.rowCost;
        this.homeCost[w] = cutter.cost - cost;
        cost = cutter.cost;
      } else this.homeCost[w] = 0;
      this.endHead[w] = head;
      this.endRow[w] = row;
      this.endRowCost[w] = rowCost;
      this.foreignStart[w] = 0;
      this.foreignCount[w] = 0;
    }
    this.lineHead[s] = head;
    this.lineRow[s] = row;
    this.lineRowCost[s] = rowCost;
    this.lineCost[s] = cost;
    this.surplus[s] = head < lines.heads.queryHeads && lines.rows(s) > 0 ? work - cost : -1;
    this.deficit[s] = this.surplus[s]! >= 0 ? 0 : Math.max(0, target - work);
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
    const { lines, cutter, surplus, deficit, targets, donors } = this;
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
      let goal = this.lineCost[s]!;
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
            goal = this.lineCost[s]!;
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
          this.takeForeign(worker, s);
          break;
        }
        goal += left;
        left = 0;
        cutter.cut(s, goal, this.slack(worker), false);
        this.takeForeign(worker, s);
      }
      this.finishLine(s);
      surplusSum -= surplus[s]!;
    }
  }

  /** Gives worker `worker` the line of `s` from where it was last cut to the cutter's position. */
  private takeForeign(worker: number, s: number): void {
    const { cutter } = this;
    const head = this.lineHead[s]!;
    const row = this.lineRow[s]!;
    if (cutter.head < head || (cutter.head === head && cutter.row <= row)) return;
    if (this.foreigns === this.foreignSequence.length) this.growForeign();
    const i = this.foreigns++;
    if (this.foreignCount[worker]!++ === 0) this.foreignStart[worker] = i;
    this.foreignSequence[i] = s;
    this.foreignStartHead[i] = head;
    this.foreignStartRow[i] = row;
    this.foreignStartRowCost[i] = this.lineRowCost[s]!;
    this.foreignEndHead[i] = cutter.head;
    this.foreignEndRow[i] = cutter.row;
    this.foreignEndRowCost[i] = cutter.rowCost;
    this.foreignCost[i] = cutter.cost - this.lineCost[s]!;
    this.lineHead[s] = cutter.head;
    this.lineRow[s] = cutter.row;
    this.lineRowCost[s] = cutter.rowCost;
    this.lineCost[s] = cutter.cost;
  }

  // Without a recipient (a surplus that is rounding only) the line's end stays at home.
  private finishLine(s: number): void {
    const { lines, cutter } = this;
    if (this.lineHead[s]! >= lines.heads.queryHeads) return;
    cutter.end(s);
    const w = (s + 1) * lines.input.cp - 1;
    if (this.endHead[w] !== this.lineHead[s] || this.endRow[w] !== this.lineRow[s]) {
      const last = this.foreigns - 1;
      this.foreignCost[last]! += cutter.cost - this.lineCost[s]!;
      this.foreignEndHead[last] = cutter.head;
      this.foreignEndRow[last] = cutter.row;
      this.foreignEndRowCost[last] = 0;
      return;
    }
    this.homeCost[w]! += cutter.cost - this.lineCost[s]!;
    this.endHead[w] = cutter.head;
    this.endRow[w] = cutter.row;
    this.endRowCost[w] = 0;
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
    return Math.max(0, this.targets[worker]! - this.homeCost[worker]!);
  }

  // A quarter of the tolerance; of a large one no more than a hundredth of the target, since work
  // that stays in its group should still be cut evenly.
  private slack(worker: number): number {
    return (Math.min(this.tolerance, 0.05) / 4) * this.targets[worker]!;
  }

  private allocate(workers: number, poolSize: number): void {
    const integers = () => new Int32Array(workers);
    const numbers = () => new Float64Array(workers);
    this.targets = numbers();
    this.order = integers();
    this.startHead = integers();
    this.startRow = integers();
    this.endHead = integers();
    this.endRow = integers();
    this.startCost = numbers();
    this.startRowCost = numbers();
    this.endRowCost = numbers();
    this.homeCost = numbers();
    this.foreignStart = integers();
    this.foreignCount = integers();
    this.surplus = new Float64Array(poolSize);
    this.deficit = new Float64Array(poolSize);
    this.lineHead = new Int32Array(poolSize);
    this.lineRow = new Int32Array(poolSize);
    this.lineRowCost = new Float64Array(poolSize);
    this.lineCost = new Float64Array(poolSize);
    this.donors = new Int32Array(poolSize);
  }

  private growForeign(): void {
    const capacity = Math.max(64, 2 * this.foreigns);
    const integers = (old: Int32Array) => {
      const grown = new Int32Array(capacity);
      grown.set(old);
      return grown;
    };
    const numbers = (old: Float64Array) => {
      const grown = new Float64Array(capacity);
      grown.set(old);
      return grown;
    };
    this.foreignSequence = integers(this.foreignSequence);
    this.foreignStartHead = integers(this.foreignStartHead);
    this.foreignStartRow = integers(this.foreignStartRow);
    this.foreignEndHead = integers(this.foreignEndHead);
    this.foreignEndRow = integers(this.foreignEndRow);
    this.foreignStartRowCost = numbers(this.foreignStartRowCost);
    this.foreignEndRowCost = numbers(this.foreignEndRowCost);
    this.foreignCost = numbers(this.foreignCost);
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
