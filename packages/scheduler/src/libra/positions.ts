/**
 * Positions on lines, in columns. A position is the place in a line before which lie all segments
 * before `segment`; of that segment, all heads before `head`; of the head block that begins at `head`,
 * the rows before `row`; and of the row block that begins at `row`, the first `part` heads.
 */
export class Positions {
  segment = new Int32Array(0);
  head = new Int32Array(0);
  row = new Int32Array(0);
  part = new Int32Array(0);

  get length(): number {
    return this.head.length;
  }

  /** Makes room for `count` positions; what was there stays. */
  reserve(count: number): void {
    if (this.length >= count) return;
    const { segment, head, row, part } = this;
    this.segment = new Int32Array(count);
    this.head = new Int32Array(count);
    this.row = new Int32Array(count);
    this.part = new Int32Array(count);
    this.segment.set(segment);
    this.head.set(head);
    this.row.set(row);
    this.part.set(part);
  }

  set(i: number, segment: number, head: number, row: number, part: number): void {
    this.segment[i] = segment;
    this.head[i] = head;
    this.row[i] = row;
    this.part[i] = part;
  }

  copy(i: number, from: Positions, j: number): void {
    const { segment, head, row, part } = from;
    this.set(i, segment[j]!, head[j]!, row[j]!, part[j]!);
  }

  /** Whether position `i` lies before position `j` of `other`, on the same line. */
  before(i: number, other: Positions, j: number): boolean {
    const segment = this.segment[i]! - other.segment[j]!;
    if (segment !== 0) return segment < 0;
    const head = this.head[i]! - other.head[j]!;
    if (head !== 0) return head < 0;
    const row = this.row[i]! - other.row[j]!;
    return row !== 0 ? row < 0 : this.part[i]! < other.part[j]!;
  }
}
