import { linkClass } from "@libra/topology";
import { Segments } from "./segments.js";
import { WorkLines } from "./work-lines.js";

// A document belongs to the workers of one node if they own this much more of it than an even share.
const clearShare = 1.25;

/**
 * One line for the workers of a group in one node, with the documents that they own. Where a line has
 * more work than may stay, its longest documents leave: fewest bytes for their work.
 */
export class DocumentWork extends WorkLines {
  readonly segments = new Segments();
  /** Lines of sequence `s` are `firstLine[s] … firstLine[s + 1]`. */
  private firstLine = new Int32Array(1);
  private documents = 0;
  private start = new Int32Array(0);
  private length = new Int32Array(0);
  private cost = new Float64Array(0);
  private line = new Int32Array(0);
  /** Documents of line `l` are `order[first[l] … first[l + 1]]`, in row order. */
  private first = new Int32Array(1);
  private order = new Int32Array(0);
  private leaves = new Uint8Array(0);
  private byLength = new Float64Array(0);
  private ownedRows = new Int32Array(0);

  load(): void {
    const { pool } = this;
    const { sequences, cp } = pool.input;
    let documents = 0;
    for (let s = 0; s < pool.poolSize; s++) documents += sequences[s]!.length - 1;
    this.reserveDocuments(documents);
    // At most one line a worker, of at most one segment a document and one more.
    this.reserve(pool.workers, pool.workers + documents);
    if (this.firstLine.length <= pool.poolSize) this.firstLine = new Int32Array(pool.poolSize + 1);
    if (this.first.length <= pool.workers) this.first = new Int32Array(pool.workers + 1);
    this.count = 0;
    this.documents = 0;
    for (let s = 0; s < pool.poolSize; s++) {
      this.firstLine[s] = this.count;
      this.openLines(s, cp);
      this.firstLine[s + 1] = this.count;
      this.first[this.firstLine[s]!] = this.documents;
      this.takeDocuments(s);
    }
    this.first[this.count] = this.documents;
    this.sortByLine();
  }

  divide(limit: Float64Array): void {
    const { segments, queryHeads, segmentCost } = this;
    this.leaves.fill(0, 0, this.documents);
    segments.reset(this.pool.cost, this.count + this.documents, this.documents);
    let segment = 0;
    for (let l = 0; l < this.count; l++) {
      this.firstSegment[l] = segment;
      const last = this.work[l]! > limit[l]! ? this.pickLeaving(l, this.work[l]! - limit[l]!) : -1;
      segmentCost[segment] = 0;
      segments.open();
      for (let i = this.first[l]!; i < this.first[l + 1]!; i++) {
        const d = this.order[i]!;
        if (this.leaves[d] === 0) segments.add(this.start[d]!, this.length[d]!, this.cost[d]!);
      }
      let cost = segments.headCost(segment++) * queryHeads;
      if (last < 0) continue;
      // The one that may stay in part first.
      segmentCost[segment] = cost;
      this.addAlone(last);
      cost += segments.headCost(segment++) * queryHeads;
      for (let i = this.first[l]!; i < this.first[l + 1]!; i++) {
        const d = this.order[i]!;
        if (this.leaves[d] === 0 || d === last) continue;
        segmentCost[segment] = cost;
        this.addAlone(d);
        cost += segments.headCost(segment++) * queryHeads;
      }
    }
    this.firstSegment[this.count] = segment;
  }

  seekRun(segment: number, row: number, rowEnd: number): void {
    this.segments.seekRun(segment, row, rowEnd);
    this.runStart = this.segments.runStart;
    this.runEnd = this.segments.runEnd;
  }

  private addAlone(document: number): void {
    this.segments.open();
    const { start, length, cost } = this;
    this.segments.add(start[document]!, length[document]!, cost[document]!);
  }

  // Marks the longest documents whose work reaches `amount`; returns the last of them.
  private pickLeaving(line: number, amount: number): number {
    const { byLength, length, order, cost, leaves, queryHeads } = this;
    const first = this.first[line]!;
    const count = this.first[line + 1]! - first;
    // Ascending lengths; of equal ones the first in row order comes last. Exact below 2^53.
    for (let i = 0; i < count; i++) {
      byLength[i] = length[order[first + i]!]! * 2 ** 22 + (count - 1 - i);
    }
    byLength.subarray(0, count).sort();
    let rest = amount;
    let last = -1;
    for (let i = count - 1; i >= 0 && rest > 0; i--) {
      last = order[first + count - 1 - (byLength[i]! % 2 ** 22)]!;
      leaves[last] = 1;
      rest -= cost[last]! * queryHeads;
    }
    return last;
  }

  // A line for every run of workers of the sequence that sit in one node.
  private openLines(s: number, cp: number): void {
    const { nodes, ranks } = this.pool.input;
    for (let c = 0; c < cp; c++) {
      const worker = s * cp + c;
      const rank = ranks === undefined ? worker : ranks[worker]!;
      const before = ranks === undefined ? worker - 1 : ranks[worker - 1]!;
      if (c > 0 && (nodes === undefined || linkClass(nodes, before, rank) <= 1)) {
        this.width[this.count - 1]!++;
        continue;
      }
      const l = this.count++;
      this.sequence[l] = s;
      this.firstWorker[l] = worker;
      this.width[l] = 1;
      this.work[l] = 0;
      this.rows[l] = 0;
    }
  }

  private takeDocuments(s: number): void {
    const { pool, firstLine, queryHeads } = this;
    const cuSeqlens = pool.input.sequences[s]!;
    const lines = firstLine[s + 1]! - firstLine[s]!;
    if (lines > 1) this.countOwned(s, lines);
    for (let i = 1; i < cuSeqlens.length; i++) {
      const length = cuSeqlens[i]! - cuSeqlens[i - 1]!;
      if (length === 0) continue;
      const d = this.documents++;
      const l = lines === 1 ? firstLine[s]! : this.owner(firstLine[s]!, lines, i - 1, length);
      this.start[d] = cuSeqlens[i - 1]!;
      this.length[d] = length;
      this.line[d] = l;
      const cost = pool.costOf(s, i - 1);
      this.cost[d] = cost;
      this.work[l]! += cost * queryHeads;
      this.rows[l]! += length;
    }
  }

  // The line whose workers clearly own most of the document, else the one with least work.
  private owner(first: number, lines: number, document: number, length: number): number {
    let most = 0;
    let least = 0;
    const at = document * lines;
    for (let i = 1; i < lines; i++) {
      if (this.ownedRows[at + i]! > this.ownedRows[at + most]!) most = i;
      if (this.work[first + i]! < this.work[first + least]!) least = i;
    }
    const clear = this.ownedRows[at + most]! * lines > clearShare * length;
    return first + (clear ? most : least);
  }

  // Rows of each document of a sequence that the workers of each of its lines own.
  private countOwned(s: number, lines: number): void {
    const { input } = this.pool;
    const cuSeqlens = input.sequences[s]!;
    const { offsets, starts, ends } = input.owned[s]!;
    const size = (cuSeqlens.length - 1) * lines;
    if (this.ownedRows.length < size) this.ownedRows = new Int32Array(2 * size);
    this.ownedRows.fill(0, 0, size);
    for (let i = 0; i < lines; i++) {
      const l = this.firstLine[s]! + i;
      const from = this.firstWorker[l]! - s * input.cp;
      for (let c = from; c < from + this.width[l]!; c++) {
        let document = 0;
        for (let k = offsets[c]!; k < offsets[c + 1]!; k++) {
          while (cuSeqlens[document + 1]! <= starts[k]!) document++;
          for (let d = document; d + 1 < cuSeqlens.length && cuSeqlens[d]! < ends[k]!; d++) {
            const rows =
              Math.min(cuSeqlens[d + 1]!, ends[k]!) - Math.max(cuSeqlens[d]!, starts[k]!);
            this.ownedRows[d * lines + i]! += rows;
          }
        }
      }
    }
  }

  private sortByLine(): void {
    const { first, line, order } = this;
    // With one line a sequence the documents are in order.
    if (this.count === this.pool.poolSize) {
      for (let d = 0; d < this.documents; d++) order[d] = d;
      return;
    }
    first.fill(0, 0, this.count + 1);
    for (let d = 0; d < this.documents; d++) first[line[d]! + 1]!++;
    for (let l = 0; l < this.count; l++) first[l + 1]! += first[l]!;
    for (let d = 0; d < this.documents; d++) order[first[line[d]!]!++] = d;
    for (let l = this.count; l > 0; l--) first[l] = first[l - 1]!;
    first[0] = 0;
  }

  private reserveDocuments(documents: number): void {
    if (this.start.length >= documents) return;
    const capacity = 2 * documents;
    this.start = new Int32Array(capacity);
    this.length = new Int32Array(capacity);
    this.cost = new Float64Array(capacity);
    this.line = new Int32Array(capacity);
    this.order = new Int32Array(capacity);
    this.leaves = new Uint8Array(capacity);
    this.byLength = new Float64Array(capacity);
  }
}
