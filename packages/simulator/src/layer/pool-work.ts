import { createTraffic, type Pass } from "@libra/cost-model";
import { type PlanTraffic, planTraffics, type TilePlan } from "@libra/scheduler";
import { ownedCount } from "@libra/topology";
import type { Scenario } from "../scenario.js";
import { kernelTimes } from "./kernel-times.js";

/** What the ranks that exchange tiles do in one layer of one micro-step, on the fastest device. */
export interface PoolWork {
  readonly workers: number;
  readonly chunks: number;
  readonly hops: 1 | 2;
  /** Position of each worker in the dp × cp plane. */
  readonly positions: readonly number[];
  /** Tokens that each worker owns. */
  readonly tokens: Float64Array;
  /** Seconds of attention kernels: `[chunk · workers + worker]`. */
  readonly kernels: Readonly<Record<Pass, Float64Array>>;
  readonly traffic: Readonly<Record<Pass, PlanTraffic>>;
  /** Bytes of foreign q, k, v and o that the fullest worker holds in forward. */
  readonly remoteBytes: number;
  /** Other workers that each worker exchanges with: most, and mean. */
  readonly mostPeers: number;
  readonly meanPeers: number;
}

/**
 * Reads a plan as work: kernels and bytes as the scheduler predicts them.
 *
 * @param positions - position of each worker in the dp × cp plane
 */
export function poolWork(
  scenario: Pick<Scenario, "timer" | "elementBytes">,
  plan: TilePlan,
  positions: readonly number[],
  hops: 1 | 2,
): PoolWork {
  const { workers, cp, chunks } = plan;
  const { timer, elementBytes } = scenario;
  const [there, back] = staysHome(plan)
    ? [nothingMoves(plan, hops), nothingMoves(plan, hops)]
    : planTraffics(plan, ["forward", "backward"], { hops, elementBytes });
  const traffic = { forward: there!, backward: back! };
  const [forward, backward] = kernelTimes(plan, timer, ["forward", "backward"]);
  const { peers } = traffic.forward;
  return Object.freeze({
    workers,
    chunks,
    hops,
    positions,
    tokens: Float64Array.from({ length: workers }, (_, worker) =>
      ownedCount(plan.owned[Math.floor(worker / cp)]!, worker % cp),
    ),
    kernels: { forward: forward!, backward: backward! },
    traffic,
    remoteBytes: remoteBytes(traffic.forward, workers),
    mostPeers: peers.reduce((most, count) => Math.max(most, count), 0),
    meanPeers: peers.reduce((sum, count) => sum + count, 0) / workers,
  });
}

// Ranks that own whole sequences and compute just these work in place: not even a copy is made.
function staysHome(plan: TilePlan): boolean {
  if (plan.cp !== 1 || plan.keyRanges) return false;
  for (let tile = 0; tile < plan.count; tile++) {
    if (plan.worker[tile] !== plan.sequence[tile]) return false;
  }
  return true;
}

function nothingMoves({ chunks, workers }: TilePlan, hops: 1 | 2): PlanTraffic {
  const each = () =>
    Array.from({ length: chunks }, () =>
      Array.from({ length: hops }, () => createTraffic(workers)),
    );
  const peers = new Int32Array(workers);
  return { dispatch: each(), return: each(), total: createTraffic(workers), peers };
}

// What comes in from other ranks in forward, and the outputs that go back.
function remoteBytes({ total }: PlanTraffic, workers: number): number {
  let most = 0;
  for (let w = 0; w < workers; w++) {
    let bytes = 0;
    for (let link = 1; link < 4; link++) bytes += total.received[w * 4 + link]!;
    most = Math.max(most, bytes);
  }
  return most;
}
