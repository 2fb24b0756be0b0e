import type { TilePlan } from "../plan/tile-plan.js";
import { sequenceTiles } from "../plan/worker-tiles.js";
import { bufferIds, type OrderedMerges } from "./exchange-program.js";
import type { ChunkWriters } from "./hop-writers.js";
import { KeyUses } from "./key-uses.js";
import { OrderedSums } from "./ordered-sums.js";
import { OwnedIntervals } from "./owned-intervals.js";
import type { PoolNodes } from "./pool-nodes.js";

const { end } = bufferIds;

/** What goes to one peer: the tiles of one worker, or of all workers of another node. */
interface Destination {
  peer: number;
  tiles: Int32Array;
}

/** An owner's part of a program: it sends its rows in the first hop and sums what comes back. */
export class OwnerRole {
  readonly owned = new OwnedIntervals();
  /** Vectors of `partialKey` and `partialQuery`. */
  partialKey = 0;
  partialQuery = 0;
  private readonly uses = new KeyUses();
  private readonly sums = new OrderedSums();
  private merges: { order: number[]; from: number; to: number; rows: number; width: number }[] = [];

  /** @param nodes - null with one hop */
  write(plan: TilePlan, worker: number, writers: ChunkWriters, nodes: PoolNodes | null): void {
    const home = Math.floor(worker / plan.cp);
    this.owned.load(plan.owned[home]!, worker % plan.cp);
    this.sums.clear();
    this.merges.length = 0;
    this.partialKey = 0;
    this.partialQuery = 0;
    for (const { peer, tiles } of destinations(plan, worker, home, nodes)) {
      writers.sendTo(0, peer);
      for (const t of tiles) this.sendTile(plan, t, writers);
      this.uses.load(plan, tiles, 0, tiles.length);
      this.sendKeys(plan.heads.kvHeads, writers);
    }
  }

  /** How `partialKey` is summed. */
  accumulate(kvHeads: number) {
    return this.sums.finish(kvHeads);
  }

  /** How `partialQuery` is merged. */
  merge(queryHeads: number): OrderedMerges {
    const list = this.merges.sort((a, b) => {
      const [headA, rowA, keyA] = a.order as [number, number, number];
      const [headB, rowB, keyB] = b.order as [number, number, number];
      return headA - headB || rowA - rowB || keyA - keyB || a.from - b.from;
    });
    return Object.freeze({
      from: Float64Array.from(list, (entry) => entry.from),
      to: Float64Array.from(list, (entry) => entry.to),
      rows: Int32Array.from(list, (entry) => entry.rows),
      stride: new Int32Array(list.length).fill(queryHeads),
      width: Int32Array.from(list, (entry) => entry.width),
    });
  }

  private sendTile(plan: TilePlan, t: number, writers: ChunkWriters): void {
    const { owned } = this;
    const { queryHeads } = plan.heads;
    const hop = writers.at(plan.chunk[t]!, 0);
    const start = plan.rowStart[t]!;
    const width = plan.headCount[t]!;
    owned.seek(start, start + plan.rowCount[t]!);
    while (owned.next()) {
      const rows = owned.rowEnd - owned.rowStart;
      const vector = owned.local * queryHeads + plan.headStart[t]!;
      hop.querySend.push(end, vector, rows, queryHeads, width);
      if (!plan.keyRanges) continue;
      hop.queryBackReceive.push(end, this.partialQuery, rows, width, width);
      const order = [plan.headStart[t]!, start, plan.keyStart[t]!];
      this.merges.push({ order, from: this.partialQuery, to: vector, rows, width });
      this.partialQuery += rows * width;
    }
  }

  private sendKeys(kvHeads: number, writers: ChunkWriters): void {
    const { owned, uses, sums } = this;
    for (let i = 0; i < uses.count; i++) {
      const kvHead = uses.kvHead[i]!;
      const { keySend } = writers.at(uses.firstChunk[i]!, 0);
      const { keyBackReceive } = writers.at(uses.lastChunk[i]!, 0);
      if (i === 0 || kvHead !== uses.kvHead[i - 1]) {
        sums.begin(kvHead, uses.firstHead[i]!, uses.firstRow[i]!, uses.firstKey[i]!);
      }
      owned.seek(uses.rowStart[i]!, uses.rowEnd[i]!);
      while (owned.next()) {
        const rows = owned.rowEnd - owned.rowStart;
        const vector = owned.local * kvHeads + kvHead;
        keySend.push(end, vector, rows, kvHeads, 1);
        keyBackReceive.push(end, this.partialKey, rows, 1, 1);
        sums.add(this.partialKey, vector, rows);
        this.partialKey += rows;
      }
    }
  }
}

function destinations(
  plan: TilePlan,
  worker: number,
  home: number,
  nodes: PoolNodes | null,
): Destination[] {
  const users: number[] = [];
  for (let t = 0; t < plan.count; t++) {
    const user = plan.worker[t]!;
    if (plan.sequence[t] === home && users[users.length - 1] !== user) users.push(user);
  }
  if (nodes === null) {
    return users.map((peer) => ({ peer, tiles: sequenceTiles(plan, home, [peer]) }));
  }
  const list: Destination[] = [];
  const away = new Set<number>();
  for (const user of users) {
    const node = nodes.node[user]!;
    if (node === nodes.node[worker]) {
      list.push({ peer: user, tiles: sequenceTiles(plan, home, [user]) });
    } else away.add(node);
  }
  for (const node of away) {
    const tiles = sequenceTiles(plan, home, nodes.members[node]!);
    list.push({ peer: nodes.relay(worker, node), tiles });
  }
  return list.sort((a, b) => a.peer - b.peer);
}
