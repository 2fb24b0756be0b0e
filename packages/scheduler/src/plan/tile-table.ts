import { type TilePlan, tileColumns } from "./tile-plan.js";

/** The columns of a plan's tiles. */
export type TileColumns = Pick<TilePlan, (typeof tileColumns)[number] | "cost">;

type Columns = Record<(typeof tileColumns)[number], Int32Array>;

/** A growing tile table; buffers are kept from plan to plan. */
export class TileTable {
  count = 0;
  columns: Columns = allocate(256);
  /** Planning cost of each tile. */
  cost = new Float64Array(256);

  clear(): void {
    this.count = 0;
  }

  /** Appends one tile; `keyEnd` and `rowEnd` are exclusive. */
  push(
    worker: number,
    chunk: number,
    sequence: number,
    headStart: number,
    headEnd: number,
    rowStart: number,
    rowEnd: number,
    keyStart: number,
    keyEnd: number,
    cost: number,
  ): void {
    if (this.count === this.columns.worker.length) this.grow();
    const i = this.count++;
    const columns = this.columns;
    columns.sequence[i] = sequence;
    columns.headStart[i] = headStart;
    columns.headCount[i] = headEnd - headStart;
    columns.rowStart[i] = rowStart;
    columns.rowCount[i] = rowEnd - rowStart;
    columns.keyStart[i] = keyStart;
    columns.keyCount[i] = keyEnd - keyStart;
    columns.worker[i] = worker;
    columns.chunk[i] = chunk;
    this.cost[i] = cost;
  }

  /** Sorts by (worker, chunk, sequence, headStart, rowStart, keyStart) from tile `from` on. */
  sort(from = 0): void {
    // Planners push nearly sorted tiles, so insertion is a walk; a table that is not goes by index.
    let moves = 0;
    const limit = 16 * (this.count - from) + 64;
    for (let i = from + 1; i < this.count; i++) {
      for (let j = i; j > from && this.compare(j - 1, j) > 0; j--) {
        this.swap(j - 1, j);
        if (++moves > limit) {
          this.sortByIndex(from);
          return;
        }
      }
    }
  }

  /** Joins neighbours of a sorted table that together are one causal tile. */
  merge(from = 0): void {
    const c = this.columns;
    let last = from;
    for (let i = from + 1; i < this.count; i++) {
      if (this.joins(last, i)) {
        this.cost[last]! += this.cost[i]!;
        if (c.headStart[i] === c.headStart[last]) {
          c.rowCount[last]! += c.rowCount[i]!;
          c.keyCount[last]! += c.rowCount[i]!;
        } else c.headCount[last]! += c.headCount[i]!;
      } else if (++last !== i) {
        for (const name of tileColumns) c[name][last] = c[name][i]!;
        this.cost[last] = this.cost[i]!;
      }
    }
    if (this.count > from) this.count = last + 1;
  }

  /** Copies of the columns, exactly `count` long, in one buffer. */
  copy(): TileColumns {
    const { columns: c, count } = this;
    const buffer = new ArrayBuffer(count * (8 + 4 * tileColumns.length));
    const cost = new Float64Array(buffer, 0, count);
    for (let t = 0; t < count; t++) cost[t] = this.cost[t]!;
    return {
      sequence: part(buffer, 0, c.sequence, count),
      headStart: part(buffer, 1, c.headStart, count),
      headCount: part(buffer, 2, c.headCount, count),
      rowStart: part(buffer, 3, c.rowStart, count),
      rowCount: part(buffer, 4, c.rowCount, count),
      keyStart: part(buffer, 5, c.keyStart, count),
      keyCount: part(buffer, 6, c.keyCount, count),
      worker: part(buffer, 7, c.worker, count),
      chunk: part(buffer, 8, c.chunk, count),
      cost,
    };
  }

  private joins(a: number, b: number): boolean {
    const c = this.columns;
    if (c.worker[a] !== c.worker[b] || c.chunk[a] !== c.chunk[b]) return false;
    if (c.sequence[a] !== c.sequence[b]) return false;
    if (c.headStart[a] === c.headStart[b]) {
      return c.headCount[a] === c.headCount[b] && c.rowStart[a]! + c.rowCount[a]! === c.rowStart[b];
    }
    return (
      c.headStart[a]! + c.headCount[a]! === c.headStart[b] &&
      c.rowStart[a] === c.rowStart[b] &&
      c.rowCount[a] === c.rowCount[b]
    );
  }

  private compare(a: number, b: number): number {
    const c = this.columns;
    return (
      c.worker[a]! - c.worker[b]! ||
      c.chunk[a]! - c.chunk[b]! ||
      c.sequence[a]! - c.sequence[b]! ||
      c.headStart[a]! - c.headStart[b]! ||
      c.rowStart[a]! - c.rowStart[b]! ||
      c.keyStart[a]! - c.keyStart[b]!
    );
  }

  private swap(a: number, b: number): void {
    for (const name of tileColumns) {
      const column = this.columns[name];
      const value = column[a]!;
      column[a] = column[b]!;
      column[b] = value;
    }
    const cost = this.cost[a]!;
    this.cost[a] = this.cost[b]!;
    this.cost[b] = cost;
  }

  private sortByIndex(from: number): void {
    const order = new Int32Array(this.count - from).map((_, i) => from + i);
    order.sort((a, b) => this.compare(a, b));
    for (const name of tileColumns) {
      const column = this.columns[name];
      column.set(
        order.map((i) => column[i]!),
        from,
      );
    }
    this.cost.set(
      Float64Array.from(order, (i) => this.cost[i]!),
      from,
    );
  }

  private grow(): void {
    const columns = allocate(2 * this.count);
    for (const name of tileColumns) columns[name].set(this.columns[name]);
    this.columns = columns;
    const cost = new Float64Array(2 * this.count);
    cost.set(this.cost);
    this.cost = cost;
  }
}

function part(buffer: ArrayBuffer, index: number, column: Int32Array, count: number): Int32Array {
  const out = new Int32Array(buffer, (8 + 4 * index) * count, count);
  for (let t = 0; t < count; t++) out[t] = column[t]!;
  return out;
}

function allocate(capacity: number): Columns {
  const columns = {} as Columns;
  for (const name of tileColumns) columns[name] = new Int32Array(capacity);
  return columns;
}
