import { nodeOf } from "@libra/topology";
import type { TilePlan } from "../plan/tile-plan.js";

/** The nodes that a plan's workers sit on, numbered by their first worker. */
export class PoolNodes {
  count = 0;
  /** Node of each worker. */
  readonly node: Int32Array;
  /** Index of each worker among the workers of its node. */
  readonly local: Int32Array;
  /** Workers of each node, ascending. */
  readonly members: number[][] = [];

  private readonly ranks: readonly number[];
  private readonly ranksPerNode: number;

  constructor(plan: TilePlan) {
    this.ranks = plan.ranks;
    this.ranksPerNode = plan.nodes.ranksPerNode;
    this.node = new Int32Array(plan.workers);
    this.local = new Int32Array(plan.workers);
    const numbers = new Map<number, number>();
    for (let w = 0; w < plan.workers; w++) {
      const place = nodeOf(plan.nodes, plan.ranks[w]!);
      let node = numbers.get(place);
      if (node === undefined) {
        node = this.count++;
        numbers.set(place, node);
        this.members.push([]);
      }
      this.node[w] = node;
      this.local[w] = this.members[node]!.length;
      this.members[node]!.push(w);
    }
  }

  /** Whether a plan's workers sit on these nodes. */
  describes(plan: TilePlan): boolean {
    return plan.ranks === this.ranks && plan.nodes.ranksPerNode === this.ranksPerNode;
  }

  /** The worker of `node` that takes in what the node needs from an owner in another node. */
  relay(owner: number, node: number): number {
    const members = this.members[node]!;
    return members[this.local[owner]! % members.length]!;
  }
}
