import type { TilePlan } from "../plan/tile-plan.js";
import { sequenceTiles, workerTiles } from "../plan/worker-tiles.js";
import { KeyUses } from "./key-uses.js";
import { PoolNodes } from "./pool-nodes.js";

/**
 * Called for every pair that exchanges vectors. `hop` is that of the dispatch; the return runs the
 * hops backwards and the other way round.
 */
export interface TransferVisitor {
  /** Query vectors from an owner (or its relay) to a worker (or relay); as many come back. */
  query(chunk: number, hop: number, source: number, destination: number, vectors: number): void;
  /** Key vectors, with the first chunk that needs them. */
  key(chunk: number, hop: number, source: number, destination: number, vectors: number): void;
  /** The same key vectors, with the last chunk that used them (backward: dK and dV come back). */
  keyBack(chunk: number, hop: number, source: number, destination: number, vectors: number): void;
}

/** Visits all transfers of a plan without making every worker's program. */
export function visitTransfers(plan: TilePlan, hops: 1 | 2, visitor: TransferVisitor): void {
  const uses = new KeyUses();
  const owners = Array.from({ length: plan.poolSize }, (_, s) => new IntervalOwners(plan, s));
  if (hops === 1) {
    for (let w = 0; w < plan.workers; w++) {
      const tiles = workerTiles(plan, w);
      visitTiles(plan, owners, tiles, (t, owner, rows) => {
        visitor.query(plan.chunk[t]!, 0, owner, w, rows * plan.headCount[t]!);
      });
      uses.load(plan, tiles, 0, tiles.length);
      visitUses(uses, owners, (i, owner, rows) => {
        visitor.key(uses.firstChunk[i]!, 0, owner, w, rows);
        visitor.keyBack(uses.lastChunk[i]!, 0, owner, w, rows);
      });
    }
    return;
  }
  const nodes = new PoolNodes(plan);
  for (let w = 0; w < plan.workers; w++) {
    const node = nodes.node[w]!;
    const tiles = workerTiles(plan, w);
    visitTiles(plan, owners, tiles, (t, owner, rows) => {
      const vectors = rows * plan.headCount[t]!;
      const chunk = plan.chunk[t]!;
      if (nodes.node[owner] === node) visitor.query(chunk, 0, owner, w, vectors);
      else {
        const relay = nodes.relay(owner, node);
        visitor.query(chunk, 0, owner, relay, vectors);
        visitor.query(chunk, 1, relay, w, vectors);
      }
    });
    uses.load(plan, tiles, 0, tiles.length);
    visitUses(uses, owners, (i, owner, rows) => {
      const direct = nodes.node[owner] === node;
      const hop = direct ? 0 : 1;
      const source = direct ? owner : nodes.relay(owner, node);
      visitor.key(uses.firstChunk[i]!, hop, source, w, rows);
      visitor.keyBack(uses.lastChunk[i]!, hop, source, w, rows);
    });
  }
  visitNodes(plan, owners, nodes, uses, visitor);
}

// First hop of keys to other nodes: once for all workers of the node.
function visitNodes(
  plan: TilePlan,
  owners: readonly IntervalOwners[],
  nodes: PoolNodes,
  uses: KeyUses,
  visitor: TransferVisitor,
): void {
  for (let node = 0; node < nodes.count; node++) {
    for (let s = 0; s < plan.poolSize; s++) {
      const tiles = sequenceTiles(plan, s, nodes.members[node]!);
      if (tiles.length === 0) continue;
      uses.load(plan, tiles, 0, tiles.length);
      visitUses(uses, owners, (i, owner, rows) => {
        if (nodes.node[owner] === node) return;
        const relay = nodes.relay(owner, node);
        visitor.key(uses.firstChunk[i]!, 0, owner, relay, rows);
        visitor.keyBack(uses.lastChunk[i]!, 0, owner, relay, rows);
      });
    }
  }
}

function visitTiles(
  plan: TilePlan,
  owners: readonly IntervalOwners[],
  tiles: Int32Array,
  visit: (tile: number, owner: number, rows: number) => void,
): void {
  for (const t of tiles) {
    const start = plan.rowStart[t]!;
    owners[plan.sequence[t]!]!.overlaps(start, start + plan.rowCount[t]!, (owner, rows) => {
      visit(t, owner, rows);
    });
  }
}

function visitUses(
  uses: KeyUses,
  owners: readonly IntervalOwners[],
  visit: (use: number, owner: number, rows: number) => void,
): void {
  for (let i = 0; i < uses.count; i++) {
    owners[uses.sequence[i]!]!.overlaps(uses.rowStart[i]!, uses.rowEnd[i]!, (owner, rows) => {
      visit(i, owner, rows);
    });
  }
}

/** All owned intervals of one sequence, in row order. */
class IntervalOwners {
  private readonly starts: Int32Array;
  private readonly owners: Int32Array;
  private readonly rows: number;

  constructor(plan: TilePlan, sequence: number) {
    const owned = plan.owned[sequence]!;
    const count = owned.starts.length;
    const owner = new Int32Array(count);
    for (let c = 0; c < owned.cp; c++) {
      owner.fill(sequence * plan.cp + c, owned.offsets[c]!, owned.offsets[c + 1]!);
    }
    const order = Int32Array.from({ length: count }, (_, i) => i);
    order.sort((a, b) => owned.starts[a]! - owned.starts[b]!);
    this.starts = order.map((i) => owned.starts[i]!);
    this.owners = order.map((i) => owner[i]!);
    this.rows = owned.rows;
  }

  overlaps(rowStart: number, rowEnd: number, visit: (owner: number, rows: number) => void): void {
    const { starts } = this;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= rowStart) low = middle;
      else high = middle;
    }
    for (let i = low; i < starts.length && starts[i]! < rowEnd; i++) {
      const end = i + 1 < starts.length ? starts[i + 1]! : this.rows;
      const rows = Math.min(end, rowEnd) - Math.max(starts[i]!, rowStart);
      if (rows > 0) visit(this.owners[i]!, rows);
    }
  }
}
