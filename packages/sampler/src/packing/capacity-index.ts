/**
 * Open bins by the room they have left: the least room of at least some size in a few steps
 * whatever the number of bins (a tree of 32-way bit sets over the possible rooms).
 */
export class CapacityIndex {
  private readonly levels: Uint32Array[] = [];
  /** Newest bin of each room; bins of equal room are a chain. */
  private readonly heads: Int32Array;
  private readonly next: Int32Array;

  /**
   * @param largestRoom - greatest room a bin can have
   * @param bins - greatest number of bins
   */
  constructor(largestRoom: number, bins: number) {
    this.heads = new Int32Array(largestRoom + 1).fill(-1);
    this.next = new Int32Array(bins);
    for (let size = largestRoom + 1; ; size = Math.ceil(size / 32)) {
      this.levels.push(new Uint32Array(Math.ceil(size / 32)));
      if (size <= 32) break;
    }
  }

  add(bin: number, room: number): void {
    const head = this.heads[room]!;
    this.next[bin] = head;
    this.heads[room] = bin;
    if (head >= 0) return;
    for (let level = 0, at = room; level < this.levels.length; level++, at >>>= 5) {
      const words = this.levels[level]!;
      const before = words[at >>> 5]!;
      words[at >>> 5] = before | (1 << (at & 31));
      if (before !== 0) break;
    }
  }

  /** The least room of at least `size`, or −1. */
  leastRoom(size: number): number {
    let at = size;
    for (let level = 0; level < this.levels.length; level++) {
      const words = this.levels[level]!;
      const word = at >>> 5;
      if (word >= words.length) return -1;
      const found = words[word]! & (-1 << (at & 31));
      if (found !== 0) return this.descend(level, word * 32 + lowestBit(found));
      at = word + 1;
    }
    return -1;
  }

  /** Takes the newest bin of exactly this room out. */
  take(room: number): number {
    const bin = this.heads[room]!;
    const following = this.next[bin]!;
    this.heads[room] = following;
    if (following >= 0) return bin;
    for (let level = 0, at = room; level < this.levels.length; level++, at >>>= 5) {
      const words = this.levels[level]!;
      const after = words[at >>> 5]! & ~(1 << (at & 31));
      words[at >>> 5] = after;
      if (after !== 0) break;
    }
    return bin;
  }

  /** Takes every bin out. */
  clear(): void {
    for (let room = this.leastRoom(0); room >= 0; room = this.leastRoom(room)) {
      while (this.heads[room]! >= 0) this.take(room);
    }
  }

  private descend(level: number, found: number): number {
    let at = found;
    for (let below = level - 1; below >= 0; below--) {
      at = at * 32 + lowestBit(this.levels[below]![at]!);
    }
    return at;
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
