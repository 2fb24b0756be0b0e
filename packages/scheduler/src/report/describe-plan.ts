import { busiestBytes } from "@libra/cost-model";
import { linkClasses } from "@libra/topology";
import type { TilePlan } from "../plan/tile-plan.js";
import { planTraffic, type TrafficOptions } from "./plan-traffic.js";
import { type Timeline, type TimelineOptions, timeline } from "./timeline.js";

/** Bytes by link class name. */
export type ClassBytes = Readonly<Record<(typeof linkClasses)[number], number>>;

/** What one worker of a plan does. */
export interface WorkerReport {
  readonly worker: number;
  /** Planning cost of its tiles. */
  readonly load: number;
  readonly tiles: number;
  /** Rows × heads of queries that it holds. */
  readonly held: number;
  readonly bytesIn: ClassBytes;
  readonly bytesOut: ClassBytes;
  /** Sequences of other groups that it works on. */
  readonly foreignSequences: number;
  /** Other workers that it exchanges with. */
  readonly peers: number;
  /** Predicted seconds of its kernels; with `links` only. */
  readonly seconds?: number;
}

/** A plan's report: plain data, ready for JSON. */
export interface PlanDescription {
  readonly planner: string;
  readonly tolerance: number;
  readonly poolSize: number;
  readonly cp: number;
  readonly workers: number;
  readonly chunks: number;
  readonly tiles: number;
  readonly total: number;
  readonly workerSkew: number;
  readonly bound: number;
  readonly moved: number;
  readonly leastMoved: number;
  readonly hops: 1 | 2;
  /** Bytes of the whole pool, by link class. */
  readonly bytes: ClassBytes;
  /** Largest bytes of one worker in one direction, by link class. */
  readonly egress: ClassBytes;
  readonly ingress: ClassBytes;
  /** Predicted seconds; with `links` only. */
  readonly timeline?: Pick<Timeline, "seconds" | "exchange" | "exposed">;
  readonly reports: readonly WorkerReport[];
}

/** Options of {@link describePlan}; with `links` the plan's time is predicted too. */
export type DescribeOptions = TrafficOptions & Partial<TimelineOptions>;

/** Reports a plan and each of its workers. */
export function describePlan(plan: TilePlan, options: DescribeOptions = {}): PlanDescription {
  const { total, peers } = planTraffic(plan, options);
  const { egress, ingress } = busiestBytes(total);
  const { links } = options;
  const time = links === undefined ? undefined : timeline(plan, { ...options, links });
  const tiles = new Int32Array(plan.workers);
  const held = new Float64Array(plan.workers);
  const foreign = Array.from(tiles, () => new Set<number>());
  const sum = new Float64Array(linkClasses.length);
  for (let t = 0; t < plan.count; t++) {
    const w = plan.worker[t]!;
    tiles[w]!++;
    held[w]! += plan.rowCount[t]! * plan.headCount[t]!;
    if (Math.floor(w / plan.cp) !== plan.sequence[t]) foreign[w]!.add(plan.sequence[t]!);
  }
  total.sent.forEach((bytes, i) => {
    sum[i % linkClasses.length]! += bytes;
  });
  return Object.freeze({
    planner: plan.planner,
    tolerance: plan.tolerance,
    poolSize: plan.poolSize,
    cp: plan.cp,
    workers: plan.workers,
    chunks: plan.chunks,
    tiles: plan.count,
    total: plan.total,
    workerSkew: plan.workerSkew,
    bound: plan.bound,
    moved: plan.moved,
    leastMoved: plan.leastMoved,
    hops: options.hops ?? 1,
    bytes: byClass(sum, 0),
    egress: byClass(egress, 0),
    ingress: byClass(ingress, 0),
    ...(time === undefined
      ? {}
      : {
          timeline: { seconds: time.seconds, exchange: time.exchange, exposed: time.exposed },
        }),
    reports: Array.from(tiles, (count, worker) => ({
      worker,
      load: plan.loads[worker]!,
      tiles: count,
      held: held[worker]!,
      bytesIn: byClass(total.received, worker),
      bytesOut: byClass(total.sent, worker),
      foreignSequences: foreign[worker]!.size,
      peers: peers[worker]!,
      ...(time === undefined ? {} : { seconds: time.attention[worker]! }),
    })),
  });
}

function byClass(bytes: Float64Array, row: number): ClassBytes {
  const entries = linkClasses.map((name, i) => [name, bytes[row * linkClasses.length + i]!]);
  return Object.freeze(Object.fromEntries(entries)) as ClassBytes;
}
