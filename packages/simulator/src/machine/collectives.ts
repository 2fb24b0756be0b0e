import type { Cluster } from "./cluster.js";

/** Where the ranks of a group are: what decides which links its collectives go over. */
export interface GroupShape {
  readonly ranks: number;
  /** Ranks of the group in one node. */
  readonly perNode: number;
}

/**
 * Shape of a group whose ranks are `stride` apart.
 *
 * @param stride - difference of neighbouring global ranks
 */
export function groupShape(cluster: Cluster, ranks: number, stride: number): GroupShape {
  return {
    ranks,
    perNode: Math.max(1, Math.min(ranks, Math.floor(cluster.ranksPerNode / stride))),
  };
}

/**
 * Bytes per second at which a rank of a node reaches other nodes when `active` ranks of the node
 * send: its share of the node's cards, at most one rank's worth of the node's own links.
 */
export function networkBandwidth(cluster: Cluster, active = cluster.ranksPerNode): number {
  const card = cluster.links[3].bandwidth;
  return Math.min(cluster.links[1].bandwidth, (card * cluster.cardsPerNode) / active);
}

/**
 * Seconds of an all-gather or a reduce-scatter: a ring moves `(n − 1)/n` of the gathered bytes
 * through every rank; with several ranks in a node, one ring per rank shares the node's cards, so the
 * node's ranks together reach the bandwidth of all of them (NCCL's rings). A tree of latencies.
 *
 * @param bytes - size of the gathered (or not yet scattered) data
 */
export function gatherTime(cluster: Cluster, group: GroupShape, bytes: number): number {
  const { ranks, perNode } = group;
  if (ranks === 1 || bytes === 0) return 0;
  const inside = cluster.links[1];
  const inNode = ranks <= perNode;
  const cards =
    (cluster.links[3].bandwidth * cluster.cardsPerNode * perNode) / cluster.ranksPerNode;
  const bandwidth = inNode ? inside.bandwidth : Math.min(inside.bandwidth, cards);
  const latency = (inNode ? inside : cluster.links[3]).latency * Math.ceil(Math.log2(ranks));
  return latency + (bytes * (ranks - 1)) / ranks / bandwidth;
}

/**
 * Seconds of an all-to-all in which every rank sends `bytes` evenly to all ranks of the group, its
 * own part left out: the node's links and the network work side by side.
 */
export function allToAllTime(cluster: Cluster, group: GroupShape, bytes: number): number {
  const { ranks, perNode } = group;
  if (ranks === 1 || bytes === 0) return 0;
  const inside = (bytes * (Math.min(perNode, ranks) - 1)) / ranks;
  const outside = (bytes * Math.max(0, ranks - perNode)) / ranks;
  const near = inside === 0 ? 0 : cluster.links[1].latency + inside / cluster.links[1].bandwidth;
  const far = outside === 0 ? 0 : cluster.links[3].latency + outside / networkBandwidth(cluster);
  return Math.max(near, far);
}
