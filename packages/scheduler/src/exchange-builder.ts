import { requireInteger } from "@libra/base";
import { BlockWriter } from "./block-writer.js";
import {
  type BlockList,
  bufferIds,
  type ExchangeProgram,
  type Hop,
  type KeyRuns,
  type OrderedAdds,
} from "./exchange-program.js";
import { KeyUses } from "./key-uses.js";
import { OwnedIntervals } from "./owned-intervals.js";
import type { TilePlan } from "./tile-plan.js";

const { end } = bufferIds;

/** Dispatch and return lists of one chunk, while they are written. */
interface ChunkWriters {
  querySend: BlockWriter;
  queryReceive: BlockWriter;
  keySend: BlockWriter;
  keyReceive: BlockWriter;
  keyReturnSend: BlockWriter;
  keyReturnReceive: BlockWriter;
}

/** Key rows that one peer uses of one KV head of the own sequence: part of a sum of partials. */
interface Contribution {
  kvHead: number;
  firstHead: number;
  firstRow: number;
  firstKey: number;
  /** Its ordered adds are entries `from … to`. */
  from: number;
  to: number;
}

/** Makes exchange programs with one hop; buffers are kept from program to program. */
export class ExchangeBuilder {
  private plan!: TilePlan;
  private worker = 0;
  private writers: ChunkWriters[] = [];
  private readonly owned = new OwnedIntervals();
  private readonly peerOwned = new OwnedIntervals();
  private readonly uses = new KeyUses();
  private readonly peerUses = new KeyUses();
  private addFrom: number[] = [];
  private addTo: number[] = [];
  private addRows: number[] = [];
  private contributions: Contribution[] = [];
  private partialKey = 0;

  /** The program of one worker. */
  build(plan: TilePlan, worker: number): ExchangeProgram {
    requireInteger(worker, "worker", 0, plan.workers - 1);
    this.plan = plan;
    this.worker = worker;
    const { heads, chunks, workers } = plan;
    this.prepareWriters(chunks, workers);
    const home = Math.floor(worker / plan.cp);
    this.owned.load(plan.owned[home]!, worker % plan.cp);
    const tiles = this.ownTiles();
    const staging = this.stageTiles(tiles);
    this.uses.load(plan, tiles, 0, tiles.length);
    const runs = this.keyRuns();
    this.receive(tiles, staging.queryOffset);
    this.send(home);
    const chunkPrograms = this.writers.slice(0, chunks).map((writer) => finishChunk(writer));
    return Object.freeze({
      worker,
      workers,
      heads,
      hops: 1 as const,
      buffers: Object.freeze({
        homeQuery: this.owned.rows * heads.queryHeads,
        homeKey: this.owned.rows * heads.kvHeads,
        stagingQuery: staging.chunkQueryOffsets[chunks]!,
        stagingKey: runs.size,
        partialQuery: 0,
        partialKey: this.partialKey,
        relayQuery: 0,
        relayKey: 0,
      }),
      tiles,
      ...staging,
      runs: runs.columns,
      chunks: chunkPrograms,
      accumulate: this.orderedAdds(),
      vectors: {
        sentQuery: countVectors(
          chunkPrograms.map((c) => c.dispatch[0]!.query.send),
          workers,
        ),
        receivedQuery: countVectors(
          chunkPrograms.map((c) => c.dispatch[0]!.query.receive),
          workers,
        ),
        sentKey: countVectors(
          chunkPrograms.map((c) => c.dispatch[0]!.key.send),
          workers,
        ),
        receivedKey: countVectors(
          chunkPrograms.map((c) => c.dispatch[0]!.key.receive),
          workers,
        ),
      },
    });
  }

  private prepareWriters(chunks: number, workers: number): void {
    while (this.writers.length < chunks) {
      this.writers.push({
        querySend: new BlockWriter(),
        queryReceive: new BlockWriter(),
        keySend: new BlockWriter(),
        keyReceive: new BlockWriter(),
        keyReturnSend: new BlockWriter(),
        keyReturnReceive: new BlockWriter(),
      });
    }
    for (let c = 0; c < chunks; c++) {
      const w = this.writers[c]!;
      w.querySend.begin(workers);
      w.queryReceive.begin(workers);
      w.keySend.begin(workers);
      w.keyReceive.begin(workers);
      w.keyReturnSend.begin(workers);
      w.keyReturnReceive.begin(workers);
    }
    this.addFrom.length = 0;
    this.addTo.length = 0;
    this.addRows.length = 0;
    this.contributions.length = 0;
    this.partialKey = 0;
  }

  private ownTiles(): Int32Array {
    const { plan, worker } = this;
    const first = lowerBound(plan.worker, plan.count, worker);
    const last = lowerBound(plan.worker, plan.count, worker + 1);
    const tiles = new Int32Array(last - first);
    for (let i = 0; i < tiles.length; i++) tiles[i] = first + i;
    return tiles;
  }

  private stageTiles(tiles: Int32Array) {
    const { plan } = this;
    const queryOffset = new Float64Array(tiles.length);
    const chunkTileOffsets = new Int32Array(plan.chunks + 1);
    const chunkQueryOffsets = new Float64Array(plan.chunks + 1);
    let vectors = 0;
    let i = 0;
    for (let c = 0; c < plan.chunks; c++) {
      for (; i < tiles.length && plan.chunk[tiles[i]!] === c; i++) {
        queryOffset[i] = vectors;
        vectors += plan.rowCount[tiles[i]!]! * plan.headCount[tiles[i]!]!;
      }
      chunkTileOffsets[c + 1] = i;
      chunkQueryOffsets[c + 1] = vectors;
    }
    return { queryOffset, chunkTileOffsets, chunkQueryOffsets };
  }

  private keyRuns(): { columns: KeyRuns; size: number } {
    const { uses } = this;
    const sequence: number[] = [];
    const kvHead: number[] = [];
    const rowStart: number[] = [];
    const rowCount: number[] = [];
    const offset: number[] = [];
    let size = 0;
    for (let i = 0; i < uses.count; i++) {
      const rows = uses.rowEnd[i]! - uses.rowStart[i]!;
      const joins =
        i > 0 &&
        uses.sequence[i] === uses.sequence[i - 1] &&
        uses.kvHead[i] === uses.kvHead[i - 1] &&
        uses.rowStart[i] === uses.rowEnd[i - 1];
      if (joins) rowCount[rowCount.length - 1]! += rows;
      else {
        sequence.push(uses.sequence[i]!);
        kvHead.push(uses.kvHead[i]!);
        rowStart.push(uses.rowStart[i]!);
        rowCount.push(rows);
        offset.push(size);
      }
      size += rows;
    }
    const columns = Object.freeze({
      sequence: Int32Array.from(sequence),
      kvHead: Int32Array.from(kvHead),
      rowStart: Int32Array.from(rowStart),
      rowCount: Int32Array.from(rowCount),
      offset: Float64Array.from(offset),
    });
    return { columns, size };
  }

  // What comes from each owner: own tiles and key uses, cut by the owner's intervals.
  private receive(tiles: Int32Array, queryOffset: Float64Array): void {
    const { plan, peerOwned, uses, writers } = this;
    const { cp } = plan;
    for (let s = 0; s < plan.poolSize; s++) {
      if (!tiles.some((t) => plan.sequence[t] === s)) continue;
      for (let c = 0; c < cp; c++) {
        const peer = s * cp + c;
        peerOwned.load(plan.owned[s]!, c);
        for (let k = 0; k < plan.chunks; k++) {
          writers[k]!.queryReceive.peer(peer);
          writers[k]!.keyReceive.peer(peer);
          writers[k]!.keyReturnSend.peer(peer);
        }
        for (let i = 0; i < tiles.length; i++) {
          const t = tiles[i]!;
          if (plan.sequence[t] !== s) continue;
          const { queryReceive } = writers[plan.chunk[t]!]!;
          const heads = plan.headCount[t]!;
          const start = plan.rowStart[t]!;
          peerOwned.seek(start, start + plan.rowCount[t]!);
          while (peerOwned.next()) {
            const offset = queryOffset[i]! + (peerOwned.rowStart - start) * heads;
            queryReceive.push(end, offset, peerOwned.rowEnd - peerOwned.rowStart, heads, heads);
          }
        }
        let staged = 0;
        for (let i = 0; i < uses.count; i++) {
          const start = uses.rowStart[i]!;
          const offset = staged - start;
          staged += uses.rowEnd[i]! - start;
          if (uses.sequence[i] !== s) continue;
          const { keyReceive } = writers[uses.firstChunk[i]!]!;
          const { keyReturnSend } = writers[uses.lastChunk[i]!]!;
          peerOwned.seek(start, uses.rowEnd[i]!);
          while (peerOwned.next()) {
            const rows = peerOwned.rowEnd - peerOwned.rowStart;
            keyReceive.push(end, offset + peerOwned.rowStart, rows, 1, 1);
            keyReturnSend.push(end, offset + peerOwned.rowStart, rows, 1, 1);
          }
        }
      }
    }
  }

  // What goes to each worker that has tiles of the home sequence, cut by the own intervals.
  private send(home: number): void {
    const { plan, peerUses } = this;
    let users = 0;
    for (let t = 0; t < plan.count; t++) if (plan.sequence[t] === home) users++;
    const tiles = new Int32Array(users);
    let i = 0;
    for (let t = 0; t < plan.count; t++) if (plan.sequence[t] === home) tiles[i++] = t;
    for (let from = 0; from < users; ) {
      const peer = plan.worker[tiles[from]!]!;
      let to = from;
      while (to < users && plan.worker[tiles[to]!] === peer) to++;
      for (let c = 0; c < plan.chunks; c++) {
        this.writers[c]!.querySend.peer(peer);
        this.writers[c]!.keySend.peer(peer);
        this.writers[c]!.keyReturnReceive.peer(peer);
      }
      for (let k = from; k < to; k++) this.sendTile(tiles[k]!);
      peerUses.load(plan, tiles, from, to);
      this.sendKeys();
      from = to;
    }
  }

  private sendTile(t: number): void {
    const { plan, owned } = this;
    const { queryHeads } = plan.heads;
    const { querySend } = this.writers[plan.chunk[t]!]!;
    const start = plan.rowStart[t]!;
    owned.seek(start, start + plan.rowCount[t]!);
    while (owned.next()) {
      querySend.push(
        end,
        owned.local * queryHeads + plan.headStart[t]!,
        owned.rowEnd - owned.rowStart,
        queryHeads,
        plan.headCount[t]!,
      );
    }
  }

  private sendKeys(): void {
    const { owned, peerUses } = this;
    const { kvHeads } = this.plan.heads;
    for (let i = 0; i < peerUses.count; i++) {
      const kvHead = peerUses.kvHead[i]!;
      const { keySend } = this.writers[peerUses.firstChunk[i]!]!;
      const { keyReturnReceive } = this.writers[peerUses.lastChunk[i]!]!;
      if (i === 0 || kvHead !== peerUses.kvHead[i - 1]) {
        this.contributions.push({
          kvHead,
          firstHead: peerUses.firstHead[i]!,
          firstRow: peerUses.firstRow[i]!,
          firstKey: peerUses.firstKey[i]!,
          from: this.addFrom.length,
          to: this.addFrom.length,
        });
      }
      owned.seek(peerUses.rowStart[i]!, peerUses.rowEnd[i]!);
      while (owned.next()) {
        const rows = owned.rowEnd - owned.rowStart;
        const vector = owned.local * kvHeads + kvHead;
        keySend.push(end, vector, rows, kvHeads, 1);
        keyReturnReceive.push(end, this.partialKey, rows, 1, 1);
        this.addFrom.push(this.partialKey);
        this.addTo.push(vector);
        this.addRows.push(rows);
        this.partialKey += rows;
      }
      this.contributions[this.contributions.length - 1]!.to = this.addFrom.length;
    }
  }

  private orderedAdds(): OrderedAdds {
    const order = this.contributions.sort(
      (a, b) =>
        a.kvHead - b.kvHead ||
        a.firstHead - b.firstHead ||
        a.firstRow - b.firstRow ||
        a.firstKey - b.firstKey,
    );
    const count = this.addFrom.length;
    const from = new Float64Array(count);
    const to = new Float64Array(count);
    const rows = new Int32Array(count);
    let at = 0;
    for (const contribution of order) {
      for (let i = contribution.from; i < contribution.to; i++, at++) {
        from[at] = this.addFrom[i]!;
        to[at] = this.addTo[i]!;
        rows[at] = this.addRows[i]!;
      }
    }
    const stride = new Int32Array(count).fill(this.plan.heads.kvHeads);
    return Object.freeze({ from, to, rows, stride });
  }
}

function finishChunk(writer: ChunkWriters) {
  const query = { send: writer.querySend.finish(), receive: writer.queryReceive.finish() };
  const dispatch: Hop = {
    query,
    key: { send: writer.keySend.finish(), receive: writer.keyReceive.finish() },
  };
  const back: Hop = {
    query: { send: query.receive, receive: query.send },
    key: { send: writer.keyReturnSend.finish(), receive: writer.keyReturnReceive.finish() },
  };
  return Object.freeze({ dispatch: [dispatch], return: [back] });
}

function countVectors(lists: readonly BlockList[], workers: number): Float64Array {
  const vectors = new Float64Array(workers);
  for (const list of lists) {
    for (let p = 0; p < workers; p++) {
      for (let b = list.peerOffsets[p]!; b < list.peerOffsets[p + 1]!; b++) {
        vectors[p]! += list.rows[b]! * list.width[b]!;
      }
    }
  }
  return vectors;
}

function lowerBound(column: Int32Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
