import { requireInteger } from "@libra/base";

/** Index into {@link linkClasses}: how far apart two ranks are. */
export type LinkClass = 0 | 1 | 2 | 3;

/** Names of the link classes, nearest first. */
export const linkClasses = Object.freeze(["self", "sameNode", "sameRack", "farther"] as const);

/** How consecutive global ranks fill nodes, and nodes fill racks. */
export interface NodeLayout {
  readonly ranksPerNode: number;
  /** Default: racks are unknown, and every other node counts as farther. */
  readonly nodesPerRack?: number;
}

/** Node of a global rank. */
export function nodeOf(nodes: NodeLayout, rank: number): number {
  return Math.floor(rank / requireInteger(nodes.ranksPerNode, "ranksPerNode", 1));
}

/**
 * Link class between two global ranks.
 *
 * @throws LibraError `ARGUMENT` for a node layout that holds no positive integers
 */
export function linkClass(nodes: NodeLayout, a: number, b: number): LinkClass {
  if (a === b) return 0;
  const nodeA = nodeOf(nodes, a);
  const nodeB = nodeOf(nodes, b);
  if (nodeA === nodeB) return 1;
  if (nodes.nodesPerRack === undefined) return 3;
  const nodesPerRack = requireInteger(nodes.nodesPerRack, "nodesPerRack", 1);
  return Math.floor(nodeA / nodesPerRack) === Math.floor(nodeB / nodesPerRack) ? 2 : 3;
}
