import { linkClass } from "@libra/topology";
import type { CutState } from "./cut-state.js";

/** Gives what must leave lines to lines with room. */
export class SurplusPour {
  private donors = new Int32Array(0);

  constructor(private readonly state: CutState) {}

  /**
   * Gives the surpluses of all lines, end to end, to the lines with room, cut at cumulative needs
   * scaled to their sum.
   *
   * @param group - among the lines of this sequence, and no more than they need; -1 for all
   */
  pour(group: number): void {
    const { state } = this;
    const { lines, cutter, stretches, surplus, deficit, targets } = state;
    if (this.donors.length < lines.count) this.donors = new Int32Array(lines.count);
    const { donors } = this;
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
          if (state.follow && needSum > 0) {
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
        state.cutNear(l, goal, worker);
        stretches.takeForeign(worker, l, cutter);
      }
      surplusSum -= surplus[l]!;
      // Without a recipient (a surplus that is rounding only) the line's end stays at home.
      if (group < 0 && state.isOpen(l)) {
        cutter.end(l);
        stretches.extend(lines.firstWorker[l]! + lines.width[l]! - 1, l, cutter);
      }
      surplus[l] = state.isOpen(l) ? end - stretches.lineCost[l]! : -1;
    }
    if (group >= 0) this.measureRoom(group);
  }

  // What the lines of a group still have room for.
  private measureRoom(group: number): void {
    const { lines, surplus, deficit } = this.state;
    for (let l = 0; l < lines.count; l++) {
      if (lines.sequence[l] !== group || surplus[l]! >= 0) continue;
      let room = 0;
      const first = lines.firstWorker[l]!;
      for (let w = first; w < first + lines.width[l]!; w++) room += this.need(w);
      deficit[l] = room;
    }
  }

  // The nearest line by link class, then the one with the largest deficit.
  private nextRecipient(donor: number, group: number): number {
    const { lines, deficit, pool } = this.state;
    const { nodes, ranks } = pool.input;
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
    const { lines, options } = this.state;
    const { firstWorker, width } = lines;
    const at = options.fill === "spread" ? offset : width[line]! - 1 - offset;
    return firstWorker[line]! + at;
  }

  // What rounding left to a worker that has its foreign work already is not worth another piece.
  private need(worker: number): number {
    const { targets, stretches, follow } = this.state;
    const target = targets[worker]!;
    const need = target - stretches.load(worker);
    const filled = follow && stretches.foreignFirst[worker]! >= 0 && need < target / 400;
    return filled ? 0 : Math.max(0, need);
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
