import { ticksOf } from "../engine/ticks.js";
import { gatherTime } from "../machine/collectives.js";
import type { Scenario } from "../scenario.js";
import { gradientBytes, optimizerBytes, parameterGroups } from "./parameters.js";
import type { PoolPass } from "./pool-pass.js";
import type { StageSpan } from "./step-graph.js";

/** Ticks of what follows backward on every rank of a stage. */
export interface UpdateTicks {
  /** Reducing gradients: reduce-scatter, or all-reduce when nothing is sharded. */
  readonly reduce: number;
  /** The optimizer over the rank's share of parameters, bound by memory bandwidth. */
  readonly optimizer: number;
  /** Gathering the updated parameters (`zero1`, `zero2`). */
  readonly gather: number;
}

/** What follows backward; the same on every rank, on links that the step does not share. */
export function updateTicks(scenario: Scenario): UpdateTicks {
  const { cluster, sharding, elementBytes } = scenario;
  const times = { reduce: 0, optimizer: 0, gather: 0 };
  for (const { count, group } of parameterGroups(scenario)) {
    const gradients = gatherTime(cluster, group, count * gradientBytes);
    // An all-reduce is a reduce-scatter and an all-gather; ZeRO-3 has scattered in every layer.
    if (sharding !== "zero3") times.reduce += gradients * (sharding === "none" ? 2 : 1);
    if (sharding === "zero1" || sharding === "zero2") {
      times.gather += gatherTime(cluster, group, count * elementBytes);
    }
    const share = sharding === "none" ? count : count / group.ranks;
    const bytes = gradientBytes + 2 * optimizerBytes + elementBytes;
    times.optimizer += (share * bytes) / cluster.memoryBandwidth;
  }
  return {
    reduce: ticksOf(times.reduce),
    optimizer: ticksOf(times.optimizer),
    gather: ticksOf(times.gather),
  };
}

/**
 * Tick at which a stage has its gradients. With overlap, a layer's gradients are reduced as soon as
 * the last pool has computed them, layer after layer on one link: the end is that of the last layer's
 * reduction, either right after the last backward or after all reductions since the first layer's.
 */
export function reductionEnd(
  scenario: Scenario,
  passes: readonly PoolPass[],
  lastSpans: readonly StageSpan[],
  reduce: number,
): number {
  const layers = scenario.model.layers / (scenario.layout.pp * scenario.parts);
  const inPart = Math.ceil(reduce / scenario.parts);
  let end = 0;
  for (const { pool, stage, part, end: backwardEnd } of lastSpans) {
    if (!scenario.overlapReduction) {
      end = Math.max(end, backwardEnd + reduce);
      continue;
    }
    const backward = passes[pool]!.layersBackward[stage * scenario.parts + part]!;
    const firstLayer = backwardEnd - backward + Math.ceil(backward / layers);
    end = Math.max(end, backwardEnd + Math.ceil(inPart / layers), firstLayer + inPart);
  }
  return end;
}

/**
 * Ticks of gathering parameters that the next step's forward does not hide: with overlap all but the
 * first layer's, as far as forward is long enough.
 */
export function exposedGather(scenario: Scenario, gather: number, forward: number): number {
  if (!scenario.overlapReduction) return gather;
  const layers = scenario.model.layers / scenario.layout.pp;
  return Math.max(Math.ceil(gather / layers), gather - forward);
}
