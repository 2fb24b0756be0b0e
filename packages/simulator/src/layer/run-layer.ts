import { type Pass, type Traffic, transferTime } from "@libra/cost-model";
import { OperationGraph } from "../engine/operation-graph.js";
import { ticksOf } from "../engine/ticks.js";
import type { Cluster } from "../machine/cluster.js";
import { networkBandwidth } from "../machine/collectives.js";
import { Account, type Kind } from "./account.js";
import type { LayerExtras } from "./layer-extras.js";
import type { PoolWork } from "./pool-work.js";

/** Where a pool's workers run, and what they do besides attention. */
export interface LayerPlace {
  readonly cluster: Cluster;
  /** How much longer each worker computes than the fastest device. */
  readonly slowness: ArrayLike<number>;
  readonly extras: LayerExtras;
  readonly expertParallel: number;
  /**
   * Two half micro-steps take turns, so that each one's exchange runs beside the other's kernels and
   * linear operators (DistCA): nothing computed waits for bytes, only the longer of both counts.
   */
  readonly pingPong?: boolean;
}

/** One pass of one layer of one pool. */
export interface LayerRun {
  /** Ticks until the last worker is done. */
  readonly ticks: number;
  /** Ticks of each worker, by kind. */
  readonly account: Account;
  /** Ticks at which each worker is done. */
  readonly done: Float64Array;
  /** Ticks during which each of a worker's resources was held: `[worker · 6 + resource]`. */
  readonly busy: Float64Array;
}

// What each kind of operation keeps busy: compute units, copies, and each direction of the node's
// link and of the network.
export const resources = {
  attention: [0],
  linear: [0],
  copy: [1],
  nodeOut: [2],
  nodeIn: [3],
  networkOut: [4],
  networkIn: [5],
  tensor: [2, 3],
  experts: [2, 3, 4, 5],
  gather: [4, 5],
} as const satisfies Partial<Record<Kind, readonly number[]>>;
export const resourceCount = 6;

// ZeRO-3's gather shares the network with the exchange: cut in pieces, the two take turns.
const gatherPieces = 8;

/**
 * Runs one pass of one layer through the event engine: chunk after chunk the exchange on each
 * worker's links, kernels on its compute units, the exchange back; then linear operators, and
 * tensor-parallel and expert collectives. An exchange ends for all workers when the last link is
 * through. All layers are alike and a pool's workers meet in each, so one layer stands for all.
 */
export class LayerRunner {
  private readonly graph = new OperationGraph();
  private work!: PoolWork;
  private place!: LayerPlace;
  private account!: Account;

  run(work: PoolWork, pass: Pass, place: LayerPlace): LayerRun {
    const { graph } = this;
    const { chunks, workers } = work;
    this.work = work;
    this.place = place;
    this.account = new Account(workers);
    graph.clear();
    const traffic = work.traffic[pass];
    const dispatched = traffic.dispatch.map((hops) => this.addExchange(hops, []));
    this.addGather();
    const kernels: number[][] = [];
    for (let chunk = 0; chunk < chunks; chunk++) {
      kernels.push(this.addKernels(pass, chunk, dispatched[chunk]!, kernels[chunk - 1]));
    }
    const returned = traffic.return.map((hops, chunk) =>
      this.addExchange(hops, place.pingPong ? [] : kernels[chunk]!),
    );
    const last = this.addExperts(this.addLinear(place.pingPong ? [] : returned));
    const ticks = graph.run();
    const done = Float64Array.from(last, (operation) => graph.end[operation]!);
    const busy = graph.busy.slice(0, workers * resourceCount);
    return { ticks, account: this.account, done, busy };
  }

  /**
   * One chunk's exchange in one direction, hop after hop.
   *
   * @param after - operations that come before it
   * @returns the operation that ends with it
   */
  private addExchange(hops: readonly Traffic[], after: readonly number[]): number {
    const { graph, work } = this;
    let begin = -1;
    if (after.length > 0) {
      begin = graph.add(0);
      for (const operation of after) graph.after(operation);
    }
    for (const hop of hops) {
      const moves: number[] = [];
      for (let worker = 0; worker < work.workers; worker++)
        this.addMoves(hop, worker, begin, moves);
      const end = graph.add(0);
      for (const move of moves) graph.after(move);
      if (begin >= 0) graph.after(begin);
      begin = end;
    }
    return begin;
  }

  private addMoves({ sent, received }: Traffic, worker: number, begin: number, moves: number[]) {
    const { links, copies } = this.place.cluster;
    const at = worker * 4;
    const card = networkBandwidth(this.place.cluster);
    const seconds = (bytes: Float64Array, link: 0 | 1 | 2 | 3) => {
      const { latency, bandwidth } = links[link];
      const width = link < 2 ? bandwidth : Math.min(bandwidth, card);
      return transferTime({ latency, bandwidth: width }, bytes[at + link]!);
    };
    const add = (
      kind: "copy" | "nodeOut" | "nodeIn" | "networkOut" | "networkIn",
      time: number,
    ) => {
      if (time === 0) return;
      moves.push(this.add(kind, worker, ticksOf(time)));
      if (begin >= 0) this.graph.after(begin);
    };
    if (copies === "compute") {
      // The receiver reads its peers' memory; nothing is done at the sender.
      add("copy", seconds(received, 0) + seconds(received, 1));
    } else {
      add("copy", seconds(sent, 0));
      add("nodeOut", seconds(sent, 1));
      add("nodeIn", seconds(received, 1));
    }
    // Both network classes leave through the same card.
    add("networkOut", seconds(sent, 2) + seconds(sent, 3));
    add("networkIn", seconds(received, 2) + seconds(received, 3));
  }

  private addKernels(
    pass: Pass,
    chunk: number,
    dispatched: number,
    previous: readonly number[] | undefined,
  ): number[] {
    const { graph, work, place } = this;
    return Array.from({ length: work.workers }, (_, w) => {
      const seconds = work.kernels[pass][chunk * work.workers + w]! * place.slowness[w]!;
      const operation = this.add("attention", w, ticksOf(seconds));
      if (!place.pingPong) graph.after(dispatched);
      if (previous) graph.after(previous[w]!);
      return operation;
    });
  }

  private addGather(): void {
    const piece = ticksOf(this.place.extras.gather / gatherPieces);
    if (piece === 0) return;
    for (let w = 0; w < this.work.workers; w++) {
      for (let i = 0; i < gatherPieces; i++) {
        const operation = this.add("gather", w, piece);
        if (i > 0) this.graph.after(operation - 1);
      }
    }
  }

  /** Linear operators, once results are home; returns the last operation of each worker. */
  private addLinear(returned: readonly number[]): number[] {
    const { graph, work, place } = this;
    return Array.from(work.tokens, (tokens, w) => {
      const seconds = place.extras.linear * tokens * place.slowness[w]!;
      const linear = this.add("linear", w, ticksOf(seconds));
      for (const operation of returned) graph.after(operation);
      const tensor = ticksOf(place.extras.tensor(tokens));
      if (tensor === 0) return linear;
      const collective = this.add("tensor", w, tensor);
      graph.after(linear);
      return collective;
    });
  }

  /** The expert all-to-alls, once all of the pool's members of an expert group are there. */
  private addExperts(last: readonly number[]): readonly number[] {
    const { graph, work, place } = this;
    if (place.expertParallel === 1) return last;
    const groupOf = (w: number) => Math.floor(work.positions[w]! / place.expertParallel);
    const meetings = new Map<number, number>();
    for (let w = 0; w < work.workers; w++) {
      const group = groupOf(w);
      if (meetings.has(group)) continue;
      meetings.set(group, graph.add(0));
      for (let v = w; v < work.workers; v++) if (groupOf(v) === group) graph.after(last[v]!);
    }
    return last.map((_, w) => {
      const seconds = place.extras.experts(work.tokens[w]!);
      const operation = this.add("experts", w, ticksOf(seconds));
      graph.after(meetings.get(groupOf(w))!);
      return operation;
    });
  }

  private add(kind: keyof typeof resources, worker: number, ticks: number): number {
    const operation = this.graph.add(ticks);
    this.account.add(kind, worker, ticks);
    const computed = kind === "copy" && this.place.cluster.copies === "compute";
    const held = computed ? resources.attention : resources[kind];
    for (const resource of held) this.graph.holds(worker * resourceCount + resource);
    return operation;
  }
}
