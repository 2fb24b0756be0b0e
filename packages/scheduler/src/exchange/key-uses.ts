import type { TilePlan } from "../plan/tile-plan.js";

/**
 * Key rows that a list of tiles of one worker needs, each row once per (sequence, KV head), cut
 * where the first or the last chunk that needs them changes; sorted by (sequence, kvHead, rowStart).
 */
export class KeyUses {
  count = 0;
  sequence = new Int32Array(32);
  kvHead = new Int32Array(32);
  rowStart = new Int32Array(32);
  rowEnd = new Int32Array(32);
  firstChunk = new Int32Array(32);
  lastChunk = new Int32Array(32);
  /** Least (head, row, key) of the tiles that use the (sequence, KV head): the order of sums. */
  firstHead = new Int32Array(32);
  firstRow = new Int32Array(32);
  firstKey = new Int32Array(32);
  private entries = 0;
  private entryTile = new Int32Array(32);
  private entryGroup = new Float64Array(32);
  private order = new Int32Array(32);
  private events = new Float64Array(64);
  private active = new Int32Array(8);

  /** Replaces the content by what `tiles[from … to)` need; the tiles are of one worker. */
  load(plan: TilePlan, tiles: Int32Array, from: number, to: number): void {
    const { kvHeads, queryHeads } = plan.heads;
    const group = queryHeads / kvHeads;
    this.count = 0;
    this.entries = 0;
    if (this.active.length < plan.chunks) this.active = new Int32Array(plan.chunks);
    for (let i = from; i < to; i++) {
      const t = tiles[i]!;
      if (plan.keyCount[t] === 0) continue;
      const head = plan.headStart[t]!;
      const first = Math.floor(head / group);
      const last = Math.floor((head + plan.headCount[t]! - 1) / group);
      for (let g = first; g <= last; g++) this.addEntry(t, plan.sequence[t]! * kvHeads + g);
    }
    this.sortEntries();
    for (let i = 0; i < this.entries; ) {
      const start = i;
      const key = this.entryGroup[this.order[i]!]!;
      while (i < this.entries && this.entryGroup[this.order[i]!] === key) i++;
      this.sweep(plan, group, key, start, i);
    }
  }

  private addEntry(tile: number, key: number): void {
    if (this.entries === this.entryTile.length) {
      this.entryTile = enlarge(this.entryTile);
      const groups = new Float64Array(2 * this.entries);
      groups.set(this.entryGroup);
      this.entryGroup = groups;
      this.order = new Int32Array(2 * this.entries);
      this.events = new Float64Array(4 * this.entries);
    }
    const i = this.entries++;
    this.entryTile[i] = tile;
    this.entryGroup[i] = key;
  }

  // By (sequence, kvHead), then in the order of execution; entries are nearly sorted.
  private sortEntries(): void {
    const { order, entryGroup, entries } = this;
    for (let i = 0; i < entries; i++) order[i] = i;
    if (entries > 64) {
      order.subarray(0, entries).sort((a, b) => entryGroup[a]! - entryGroup[b]! || a - b);
      return;
    }
    for (let i = 1; i < entries; i++) {
      const entry = order[i]!;
      let j = i;
      for (; j > 0 && entryGroup[order[j - 1]!]! > entryGroup[entry]!; j--) {
        order[j] = order[j - 1]!;
      }
      order[j] = entry;
    }
  }

  // Walks over the ends of the tiles' key ranges with the number of open ranges of each chunk.
  private sweep(plan: TilePlan, group: number, key: number, from: number, to: number): void {
    const { events, active, order } = this;
    const sequence = Math.floor(key / plan.heads.kvHeads);
    const kvHead = key - sequence * plan.heads.kvHeads;
    const chunks = plan.chunks;
    let head = 0;
    let row = 0;
    let keyRow = 0;
    for (let i = from; i < to; i++) {
      const t = this.entryTile[order[i]!]!;
      const start = plan.keyStart[t]!;
      const chunk = plan.chunk[t]!;
      events[2 * (i - from)] = (start * chunks + chunk) * 2 + 1;
      events[2 * (i - from) + 1] = ((start + plan.keyCount[t]!) * chunks + chunk) * 2;
      const tileHead = Math.max(plan.headStart[t]!, kvHead * group);
      const earlier = tileHead - head || plan.rowStart[t]! - row || plan.keyStart[t]! - keyRow;
      if (i === from || earlier < 0) {
        head = tileHead;
        row = plan.rowStart[t]!;
        keyRow = plan.keyStart[t]!;
      }
    }
    const count = 2 * (to - from);
    sortNumbers(events, count);
    active.fill(0, 0, chunks);
    let previous = 0;
    const groupStart = this.count;
    for (let i = 0; i < count; i++) {
      const event = events[i]!;
      const opens = event % 2 === 1;
      const place = (event - (opens ? 1 : 0)) / 2;
      const rowHere = Math.floor(place / chunks);
      if (rowHere > previous) {
        this.addRange(groupStart, sequence, kvHead, previous, rowHere, chunks);
        previous = rowHere;
      }
      active[place - rowHere * chunks]! += opens ? 1 : -1;
    }
    for (let i = groupStart; i < this.count; i++) {
      this.firstHead[i] = head;
      this.firstRow[i] = row;
      this.firstKey[i] = keyRow;
    }
  }

  private addRange(
    groupStart: number,
    sequence: number,
    kvHead: number,
    start: number,
    end: number,
    chunks: number,
  ): void {
    let first = 0;
    while (first < chunks && this.active[first] === 0) first++;
    if (first === chunks) return;
    let last = chunks - 1;
    while (this.active[last] === 0) last--;
    const before = this.count - 1;
    if (
      before >= groupStart &&
      this.rowEnd[before] === start &&
      this.firstChunk[before] === first &&
      this.lastChunk[before] === last
    ) {
      this.rowEnd[before] = end;
      return;
    }
    if (this.count === this.sequence.length) this.grow();
    const i = this.count++;
    this.sequence[i] = sequence;
    this.kvHead[i] = kvHead;
    this.rowStart[i] = start;
    this.rowEnd[i] = end;
    this.firstChunk[i] = first;
    this.lastChunk[i] = last;
  }

  private grow(): void {
    this.sequence = enlarge(this.sequence);
    this.kvHead = enlarge(this.kvHead);
    this.rowStart = enlarge(this.rowStart);
    this.rowEnd = enlarge(this.rowEnd);
    this.firstChunk = enlarge(this.firstChunk);
    this.lastChunk = enlarge(this.lastChunk);
    this.firstHead = enlarge(this.firstHead);
    this.firstRow = enlarge(this.firstRow);
    this.firstKey = enlarge(this.firstKey);
  }
}

function enlarge(column: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * column.length);
  grown.set(column);
  return grown;
}

function sortNumbers(values: Float64Array, count: number): void {
  if (count > 64) {
    values.subarray(0, count).sort();
    return;
  }
  for (let i = 1; i < count; i++) {
    const value = values[i]!;
    let j = i;
    for (; j > 0 && values[j - 1]! > value; j--) values[j] = values[j - 1]!;
    values[j] = value;
  }
}
