import type { CutState } from "./cut-state.js";

/** Home first: cuts the part of each line that stays with the line's own workers. */
export class HomeCuts {
  constructor(private readonly state: CutState) {}

  /** A line's workers keep what fits their targets; the rest of the line is surplus. */
  cut(l: number): void {
    const { state } = this;
    const { lines, cutter, stretches } = state;
    const target = state.targetOf(l);
    const work = lines.work[l]!;
    const donor = work > state.limit[l]!;
    const keep = donor ? state.limit[l]! : work;
    // A donor that would end below its target would push more than its surplus on the others, so it
    // rounds every cut up instead (each worker then exceeds its part by one block at most).
    let up = false;
    let keepEnd = keep;
    if (donor) {
      state.cutNear(l, keep, lines.firstWorker[l]! + lines.width[l]! - 1, Number.POSITIVE_INFINITY);
      keepEnd = cutter.cost;
      up = keepEnd < target && !state.follow && !cutter.wholeGroups;
    }
    const staying = donor ? lines.stayingCost(l) : 0;
    if (staying > 0) {
      // Documents that stay are shared evenly among themselves, or one worker would hold most rows.
      this.share(l, target, staying, staying, false, false);
      this.shareRest(l, target, keep, keepEnd, up);
    } else this.share(l, target, keep, keepEnd, !donor, up);
    const open = state.isOpen(l);
    state.surplus[l] = open ? work - stretches.lineCost[l]! : -1;
    state.deficit[l] = open ? 0 : Math.max(0, target - work);
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
    const { state } = this;
    const { lines, cutter, stretches, targets } = state;
    const packed = state.options.fill === "packed" && lines.work[l]! < target;
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
    const { state } = this;
    const { lines, cutter, stretches, targets } = state;
    const first = lines.firstWorker[l]!;
    const end = first + lines.width[l]!;
    // Even parts of the fixed place, where the errors of cuts must not add up.
    const part = (state.follow ? keepEnd : keep) / target;
    const lack = (w: number) => Math.max(0, part * targets[w]! - stretches.homeCost[w]!);
    let lacking = 0;
    for (let w = first; w < end; w++) lacking += lack(w);
    if (lacking === 0) return;
    const start = stretches.lineCost[l]!;
    const scale = (keep - start) / lacking;
    let given = 0;
    for (let w = first; w < end; w++) {
      const own = lack(w);
      given += own;
      const last = given >= lacking * (1 - 1e-12);
      const cost = stretches.lineCost[l]!;
      const rest = lacking - given + own;
      const goal =
        state.follow && rest > 0 ? cost + ((keepEnd - cost) * own) / rest : start + given * scale;
      if (own === 0) continue;
      // The last cut is where the one that gave `keepEnd` was.
      if (last) this.cutHomeAt(l, keep, state.follow ? w : end - 1, up);
      else this.cutHomeAt(l, goal, w, up);
      stretches.takeForeign(w, l, cutter);
      if (last) break;
    }
  }

  private cutHomeAt(l: number, cost: number, worker: number, up: boolean): void {
    const { state } = this;
    if (up) state.cutter.cut(l, cost, 0, Number.POSITIVE_INFINITY, true);
    else state.cutNear(l, cost, worker);
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
    const { state } = this;
    if (target <= 0) return 0;
    if (!state.follow) return keep * Math.min(1, share / target);
    const own = state.targets[w]!;
    const rest = target - share + own;
    return rest > own ? cost + ((keepEnd - cost) * own) / rest : keepEnd;
  }
}
