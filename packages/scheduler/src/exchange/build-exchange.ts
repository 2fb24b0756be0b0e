import { requireInteger } from "@libra/base";
import type { TilePlan } from "../plan/tile-plan.js";
import { workerTiles } from "../plan/worker-tiles.js";
import { ConsumerRole } from "./consumer-role.js";
import type { ExchangeProgram, Hop, OrderedAdds } from "./exchange-program.js";
import { ChunkWriters, countVectors } from "./hop-writers.js";
import { OwnerRole } from "./owner-role.js";
import { PoolNodes } from "./pool-nodes.js";
import { RelayRole } from "./relay-role.js";
import { stageKeys, stageTiles } from "./staging.js";

/** Options of an exchange program; equal on all workers. */
export interface ExchangeOptions {
  /**
   * 1 (default): every worker exchanges with every other directly. 2: what a node needs of an owner
   * in another node crosses once, to the worker with the owner's index in its node, and is passed on
   * inside the node; results return the same way.
   */
  readonly hops?: 1 | 2;
}

// Buffers only: they carry nothing from one program to the next.
const writers = new ChunkWriters();
const owner = new OwnerRole();
const consumer = new ConsumerRole();
const relayRole = new RelayRole();
const nodesOf = new WeakMap<TilePlan, PoolNodes>();

const noAdds: OrderedAdds = Object.freeze({
  from: new Float64Array(0),
  to: new Float64Array(0),
  rows: new Int32Array(0),
  stride: new Int32Array(0),
});

/**
 * What one worker sends, receives, stages and sums to carry out a plan, forward and backward: the
 * plan's tiles met with the owned rows. A pure function of its arguments, so that every rank makes
 * its own program and all of them match.
 *
 * @throws LibraError `ARGUMENT` for a worker outside the plan or a number of hops other than 1 and 2
 */
export function exchangeProgram(
  plan: TilePlan,
  worker: number,
  options: ExchangeOptions = {},
): ExchangeProgram {
  requireInteger(worker, "worker", 0, plan.workers - 1);
  const hops = requireInteger(options.hops ?? 1, "hops", 1, 2) as 1 | 2;
  const { heads, workers } = plan;
  const nodes = hops === 2 ? poolNodes(plan) : null;
  writers.begin(plan.chunks, hops, workers);
  owner.write(plan, worker, writers, nodes);
  const tiles = workerTiles(plan, worker);
  const staging = stageTiles(plan, tiles);
  consumer.begin(plan, tiles, staging.queryOffset);
  if (nodes === null) {
    for (let from = 0; from < workers; from++) consumer.receive(from, from, 0, writers);
  } else receiveInTwoHops(plan, worker, nodes);
  const { runs, size } = stageKeys(consumer.uses);
  const chunks = writers.finish(plan.keyRanges, (chunk) =>
    nodes === null ? noAdds : relayRole.relayAdds(chunk),
  );
  const dispatched = (pick: (hop: Hop) => Hop["query"]["send"]) =>
    countVectors(
      chunks.flatMap((chunk) => chunk.dispatch.map(pick)),
      workers,
    );
  return Object.freeze({
    worker,
    workers,
    heads,
    hops,
    buffers: Object.freeze({
      homeQuery: owner.owned.rows * heads.queryHeads,
      homeKey: owner.owned.rows * heads.kvHeads,
      stagingQuery: staging.chunkQueryOffsets[plan.chunks]!,
      stagingKey: size,
      partialQuery: owner.partialQuery,
      partialKey: owner.partialKey,
      relayQuery: nodes === null ? 0 : relayRole.relayQuery,
      relayKey: nodes === null ? 0 : relayRole.relayKey,
      relayPartial: nodes === null ? 0 : relayRole.relayPartial,
    }),
    tiles,
    ...staging,
    runs,
    chunks,
    accumulate: owner.accumulate(heads.kvHeads),
    merge: owner.merge(heads.queryHeads),
    vectors: Object.freeze({
      sentQuery: dispatched((hop) => hop.query.send),
      receivedQuery: dispatched((hop) => hop.query.receive),
      sentKey: dispatched((hop) => hop.key.send),
      receivedKey: dispatched((hop) => hop.key.receive),
    }),
  });
}

// Peers of a hop come in ascending order, so neighbours and owners elsewhere are taken together.
function receiveInTwoHops(plan: TilePlan, worker: number, nodes: PoolNodes): void {
  const node = nodes.node[worker]!;
  relayRole.begin(plan, nodes.members[node]!);
  for (let from = 0; from < plan.workers; from++) {
    if (nodes.node[from] === node) consumer.receive(from, from, 0, writers);
    else if (nodes.relay(from, node) === worker) relayRole.takeIn(from, writers);
  }
  consumer.receiveRelayed(worker, writers, nodes);
  relayRole.passOn(writers);
}

function poolNodes(plan: TilePlan): PoolNodes {
  let nodes = nodesOf.get(plan);
  // A plan in reused buffers may come back with other ranks.
  if (nodes === undefined || !nodes.describes(plan)) {
    nodes = new PoolNodes(plan);
    nodesOf.set(plan, nodes);
  }
  return nodes;
}
