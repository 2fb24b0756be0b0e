import type { OrderedAdds } from "./exchange-program.js";

/** Where partials of one source come in the order of a sum, and which entries are theirs. */
interface Contribution {
  readonly target: number;
  readonly firstHead: number;
  readonly firstRow: number;
  readonly firstKey: number;
  readonly from: number;
  to: number;
}

/**
 * Collects adds by contribution (one source's partials of one target) and puts them in the order
 * (target, first head, first row, first key), which does not depend on workers or arrival.
 */
export class OrderedSums {
  private from: number[] = [];
  private to: number[] = [];
  private rows: number[] = [];
  private contributions: Contribution[] = [];

  clear(): void {
    this.from.length = 0;
    this.to.length = 0;
    this.rows.length = 0;
    this.contributions.length = 0;
  }

  /** Starts a contribution; adds that follow belong to it. */
  begin(target: number, firstHead: number, firstRow: number, firstKey: number): void {
    const at = this.from.length;
    this.contributions.push({ target, firstHead, firstRow, firstKey, from: at, to: at });
  }

  add(from: number, to: number, rows: number): void {
    this.from.push(from);
    this.to.push(to);
    this.rows.push(rows);
    this.contributions[this.contributions.length - 1]!.to = this.from.length;
  }

  /** @param stride - vectors between the targets of consecutive rows */
  finish(stride: number): OrderedAdds {
    this.contributions.sort(
      (a, b) =>
        a.target - b.target ||
        a.firstHead - b.firstHead ||
        a.firstRow - b.firstRow ||
        a.firstKey - b.firstKey,
    );
    const count = this.from.length;
    const from = new Float64Array(count);
    const to = new Float64Array(count);
    const rows = new Int32Array(count);
    let at = 0;
    for (const contribution of this.contributions) {
      for (let i = contribution.from; i < contribution.to; i++, at++) {
        from[at] = this.from[i]!;
        to[at] = this.to[i]!;
        rows[at] = this.rows[i]!;
      }
    }
    return Object.freeze({ from, to, rows, stride: new Int32Array(count).fill(stride) });
  }
}
