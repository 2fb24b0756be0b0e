import type { TilePlan } from "../plan/tile-plan.js";
import { sequenceTiles } from "../plan/worker-tiles.js";
import { bufferIds } from "./exchange-program.js";
import type { ChunkWriters } from "./hop-writers.js";
import { KeyUses } from "./key-uses.js";
import { OrderedSums } from "./ordered-sums.js";
import { OwnedIntervals } from "./owned-intervals.js";

const { relay } = bufferIds;

/** Key rows of one KV head that lie together in the relay buffer. */
interface Piece {
  kvHead: number;
  rowStart: number;
  rowEnd: number;
  offset: number;
  lastChunk: number;
}

/** An owner in another node whose rows this worker takes in for its node. */
interface Source {
  owner: number;
  sequence: number;
  pieces: Piece[];
  /** First relay vector of the queries for each member of the node. */
  queryStart: number[];
}

/**
 * A relay's part of a two-hop program: what all workers of its node need of an owner in another node
 * comes in once and is passed on; dK and dV of the node's workers are summed before they return.
 */
export class RelayRole {
  relayQuery = 0;
  relayKey = 0;
  relayPartial = 0;
  private readonly owned = new OwnedIntervals();
  private readonly uses = new KeyUses();
  private readonly sums: OrderedSums[] = [];
  private readonly sources: Source[] = [];
  private plan!: TilePlan;
  private members: readonly number[] = [];

  /** Starts the program of a worker among the `members` of its node. */
  begin(plan: TilePlan, members: readonly number[]): void {
    this.plan = plan;
    this.members = members;
    this.relayQuery = 0;
    this.relayKey = 0;
    this.relayPartial = 0;
    this.sources.length = 0;
    while (this.sums.length < plan.chunks) this.sums.push(new OrderedSums());
    for (const sums of this.sums) sums.clear();
  }

  /** First hop: everything the node needs of one owner in another node. */
  takeIn(owner: number, writers: ChunkWriters): void {
    const { plan, owned, members } = this;
    const sequence = Math.floor(owner / plan.cp);
    const tiles = sequenceTiles(plan, sequence, members);
    if (tiles.length === 0) return;
    owned.load(plan.owned[sequence]!, owner % plan.cp);
    writers.receiveFrom(0, owner);
    const queryStart = this.takeQueries(tiles, writers);
    this.uses.load(plan, tiles, 0, tiles.length);
    this.sources.push({ owner, sequence, queryStart, pieces: this.takeKeys(writers) });
  }

  /** Second hop: to each member of the node its part of what the owners sent. */
  passOn(writers: ChunkWriters): void {
    const { plan, owned, members, sources } = this;
    members.forEach((member, i) => {
      writers.sendTo(1, member);
      sources.forEach((source, rank) => {
        const tiles = sequenceTiles(plan, source.sequence, [member]);
        if (tiles.length === 0) return;
        owned.load(plan.owned[source.sequence]!, source.owner % plan.cp);
        this.passQueries(source.queryStart[i]!, tiles, writers);
        this.uses.load(plan, tiles, 0, tiles.length);
        this.passKeys(source.pieces, rank, writers);
      });
    });
  }

  /** Sums of one chunk's returned partials; entries of sources follow one another. */
  relayAdds(chunk: number) {
    return this.sums[chunk]!.finish(1);
  }

  private takeQueries(tiles: Int32Array, writers: ChunkWriters): number[] {
    const { plan, owned, members } = this;
    const queryStart: number[] = [];
    let at = 0;
    for (const member of members) {
      queryStart.push(this.relayQuery);
      for (; at < tiles.length && plan.worker[tiles[at]!] === member; at++) {
        const t = tiles[at]!;
        const width = plan.headCount[t]!;
        const { queryReceive } = writers.at(plan.chunk[t]!, 0);
        owned.seek(plan.rowStart[t]!, plan.rowStart[t]! + plan.rowCount[t]!);
        while (owned.next()) {
          const rows = owned.rowEnd - owned.rowStart;
          queryReceive.push(relay, this.relayQuery, rows, width, width);
          this.relayQuery += rows * width;
        }
      }
    }
    return queryStart;
  }

  private takeKeys(writers: ChunkWriters): Piece[] {
    const { owned, uses } = this;
    const pieces: Piece[] = [];
    for (let i = 0; i < uses.count; i++) {
      const { keyReceive } = writers.at(uses.firstChunk[i]!, 0);
      const { keyBackSend } = writers.at(uses.lastChunk[i]!, 0);
      owned.seek(uses.rowStart[i]!, uses.rowEnd[i]!);
      while (owned.next()) {
        const { rowStart, rowEnd } = owned;
        const offset = this.relayKey;
        keyReceive.push(relay, offset, rowEnd - rowStart, 1, 1);
        keyBackSend.push(relay, offset, rowEnd - rowStart, 1, 1);
        const kvHead = uses.kvHead[i]!;
        pieces.push({ kvHead, rowStart, rowEnd, offset, lastChunk: uses.lastChunk[i]! });
        this.relayKey += rowEnd - rowStart;
      }
    }
    return pieces;
  }

  private passQueries(start: number, tiles: Int32Array, writers: ChunkWriters): void {
    const { plan, owned } = this;
    let query = start;
    for (const t of tiles) {
      const width = plan.headCount[t]!;
      const { querySend } = writers.at(plan.chunk[t]!, 1);
      owned.seek(plan.rowStart[t]!, plan.rowStart[t]! + plan.rowCount[t]!);
      while (owned.next()) {
        const rows = owned.rowEnd - owned.rowStart;
        querySend.push(relay, query, rows, width, width);
        query += rows * width;
      }
    }
  }

  private passKeys(pieces: readonly Piece[], rank: number, writers: ChunkWriters): void {
    const { owned, uses } = this;
    const { kvHeads } = this.plan.heads;
    for (let i = 0; i < uses.count; i++) {
      const kvHead = uses.kvHead[i]!;
      const target = rank * kvHeads + kvHead;
      const { keySend } = writers.at(uses.firstChunk[i]!, 1);
      const { keyBackReceive } = writers.at(uses.lastChunk[i]!, 1);
      owned.seek(uses.rowStart[i]!, uses.rowEnd[i]!);
      while (owned.next()) {
        const rows = owned.rowEnd - owned.rowStart;
        let p = pieceOf(pieces, kvHead, owned.rowStart);
        const first = pieces[p]!;
        keySend.push(relay, first.offset + owned.rowStart - first.rowStart, rows, 1, 1);
        keyBackReceive.push(relay, this.relayPartial, rows, 1, 1);
        // Rows return to the owner when the whole node is done with them.
        for (let row = owned.rowStart; row < owned.rowEnd; p++) {
          const piece = pieces[p]!;
          const rowEnd = Math.min(piece.rowEnd, owned.rowEnd);
          const sums = this.sums[piece.lastChunk]!;
          sums.begin(target, uses.firstHead[i]!, uses.firstRow[i]!, uses.firstKey[i]!);
          sums.add(this.relayPartial, piece.offset + row - piece.rowStart, rowEnd - row);
          this.relayPartial += rowEnd - row;
          row = rowEnd;
        }
      }
    }
  }
}

/** Index of the piece that holds a key row; pieces are sorted by (kvHead, rowStart). */
function pieceOf(pieces: readonly Piece[], kvHead: number, row: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const piece = pieces[middle]!;
    if (piece.kvHead < kvHead || (piece.kvHead === kvHead && piece.rowStart <= row)) low = middle;
    else high = middle - 1;
  }
  return low;
}
