import type { TilePlan } from "../plan/tile-plan.js";
import { bufferIds } from "./exchange-program.js";
import type { ChunkWriters } from "./hop-writers.js";
import { KeyUses } from "./key-uses.js";
import { OwnedIntervals } from "./owned-intervals.js";
import type { PoolNodes } from "./pool-nodes.js";

const { end } = bufferIds;

/** A tile worker's part of a program: what it stages, from whom, and what it returns. */
export class ConsumerRole {
  readonly uses = new KeyUses();
  private plan!: TilePlan;
  private tiles: Int32Array = new Int32Array(0);
  private queryOffset: Float64Array = new Float64Array(0);
  private readonly owned = new OwnedIntervals();
  private readonly usesSequence: boolean[] = [];

  /**
   * Starts a program.
   *
   * @param tiles - the worker's tiles
   * @param queryOffset - where each lies in query staging
   */
  begin(plan: TilePlan, tiles: Int32Array, queryOffset: Float64Array): void {
    this.plan = plan;
    this.tiles = tiles;
    this.queryOffset = queryOffset;
    this.uses.load(plan, tiles, 0, tiles.length);
    this.usesSequence.length = 0;
    for (const t of tiles) this.usesSequence[plan.sequence[t]!] = true;
  }

  /** What comes of an owner's rows, from the owner itself (hop 0) or from its relay (hop 1). */
  receive(owner: number, peer: number, hop: number, writers: ChunkWriters): void {
    const { plan } = this;
    const sequence = Math.floor(owner / plan.cp);
    if (this.usesSequence[sequence] !== true) return;
    this.owned.load(plan.owned[sequence]!, owner % plan.cp);
    writers.receiveFrom(hop, peer);
    this.receiveTiles(sequence, writers, hop);
    this.receiveKeys(sequence, writers, hop);
  }

  /** Second hop: neighbours pass on what owners in other nodes sent them. */
  receiveRelayed(worker: number, writers: ChunkWriters, nodes: PoolNodes): void {
    const node = nodes.node[worker]!;
    for (const relay of nodes.members[node]!) {
      for (let owner = 0; owner < this.plan.workers; owner++) {
        if (nodes.node[owner] === node || nodes.relay(owner, node) !== relay) continue;
        this.receive(owner, relay, 1, writers);
      }
    }
  }

  private receiveTiles(sequence: number, writers: ChunkWriters, hop: number): void {
    const { owned, plan, tiles, queryOffset } = this;
    for (let i = 0; i < tiles.length; i++) {
      const t = tiles[i]!;
      if (plan.sequence[t] !== sequence) continue;
      const { queryReceive } = writers.at(plan.chunk[t]!, hop);
      const heads = plan.headCount[t]!;
      const start = plan.rowStart[t]!;
      owned.seek(start, start + plan.rowCount[t]!);
      while (owned.next()) {
        const offset = queryOffset[i]! + (owned.rowStart - start) * heads;
        queryReceive.push(end, offset, owned.rowEnd - owned.rowStart, heads, heads);
      }
    }
  }

  private receiveKeys(sequence: number, writers: ChunkWriters, hop: number): void {
    const { owned, uses } = this;
    let staged = 0;
    for (let i = 0; i < uses.count; i++) {
      const start = uses.rowStart[i]!;
      const offset = staged - start;
      staged += uses.rowEnd[i]! - start;
      if (uses.sequence[i] !== sequence) continue;
      const { keyReceive } = writers.at(uses.firstChunk[i]!, hop);
      const { keyBackSend } = writers.at(uses.lastChunk[i]!, hop);
      owned.seek(start, uses.rowEnd[i]!);
      while (owned.next()) {
        const rows = owned.rowEnd - owned.rowStart;
        keyReceive.push(end, offset + owned.rowStart, rows, 1, 1);
        keyBackSend.push(end, offset + owned.rowStart, rows, 1, 1);
      }
    }
  }
}
