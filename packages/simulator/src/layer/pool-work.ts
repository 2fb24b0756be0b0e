import type { Pass } from "@libra/cost-model";
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
  const both = planTraffics(plan, ["forward", "backward"], { hops, elementBytes });
  if (plan.cp === 1 && !plan.keyRanges) for (const pass of both) leaveAtHome(pass);
  const traffic = { forward: both[0]!, backward: both[1]! };
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

// Tiles of a sequence that one rank owns are computed in place there: what their owner would send
// itself, in the first hop there and the last one back, is not even copied.
function leaveAtHome({ dispatch, return: back, total }: PlanTraffic): void {
  for (const traffic of [
    ...dispatch.map((hops) => hops[0]!),
    ...back.map((hops) => hops[hops.length - 1]!),
  ]) {
    for (let w = 0; w < traffic.sent.length; w += 4) {
      total.sent[w]! -= traffic.sent[w]!;
      total.received[w]! -= traffic.received[w]!;
      traffic.sent[w] = 0;
      traffic.received[w] = 0;
    }
  }
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
