import { type Pass, rowElementsPerToken } from "@libra/cost-model";
import type { TilePlan } from "@libra/scheduler";
import { secondsOf } from "./engine/ticks.js";
import { rowSeconds } from "./layer/layer-extras.js";
import { poolWork } from "./layer/pool-work.js";
import { LayerRunner } from "./layer/run-layer.js";
import type { Cluster } from "./machine/cluster.js";

/** What {@link simulateAttention} needs beside the plan. */
export interface SimulateAttentionOptions {
  readonly cluster: Cluster;
  /** Hops of the exchange; default 1. */
  readonly hops?: 1 | 2;
  /** Bytes of one element; default 2 (bf16). */
  readonly elementBytes?: number;
}

/** Forward and backward of one attention layer. */
export interface AttentionSimulation {
  /** From the first dispatch of forward to the last return of backward. */
  readonly seconds: number;
  /** Seconds of each worker's kernels. */
  readonly attention: Float64Array;
  /** Seconds in which each worker's own units copy for the exchange. */
  readonly copies: Float64Array;
}

/**
 * Runs one attention layer of one plan, forward and backward, on devices that are all alike: what
 * `createAttention` does with it, nothing around it.
 *
 * @throws LibraError `ARGUMENT` for options that cannot be
 */
export function simulateAttention(
  plan: TilePlan,
  { cluster, hops = 1, elementBytes = 2 }: SimulateAttentionOptions,
): AttentionSimulation {
  const { heads, workers } = plan;
  const work = poolWork({ timer: cluster.timer(heads), elementBytes }, plan, plan.ranks, hops);
  const runner = new LayerRunner();
  const runs = (["forward", "backward"] as const).map((pass) =>
    runner.run(work, pass, {
      cluster,
      slowness: new Float64Array(workers).fill(1),
      extras: { linear: besideKernels(pass), tensor: () => 0, experts: () => 0, gather: 0 },
      expertParallel: 1,
    }),
  );
  const sums = (kind: "attention" | "copy") =>
    Float64Array.from({ length: workers }, (_, w) =>
      secondsOf(runs.reduce((sum, { account }) => sum + account.get(kind, w), 0)),
    );
  return {
    seconds: secondsOf(runs.reduce((sum, { ticks }) => sum + ticks, 0)),
    attention: sums("attention"),
    copies: sums("copy"),
  };

  function besideKernels(pass: Pass): number {
    const widths = { ...heads, hidden: 0, ffn: 0, activeExperts: 1, vocab: 0 };
    return rowSeconds(cluster, rowElementsPerToken(pass, widths).attention, elementBytes);
  }
}
