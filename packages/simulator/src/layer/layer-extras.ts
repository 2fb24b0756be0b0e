import { linearFlopsPerToken, type Pass, rowElementsPerToken } from "@libra/cost-model";
import type { Cluster } from "../machine/cluster.js";
import { allToAllTime, gatherTime, groupShape } from "../machine/collectives.js";
import type { Scenario } from "../scenario.js";
import { gradientBytes, parameterGroups } from "../step/parameters.js";

/** What a layer does besides attention, on the fastest device. */
export interface LayerExtras {
  /** Seconds of the linear and row operators of one token. */
  readonly linear: number;
  /** Seconds of the tensor-parallel collectives of `tokens` tokens. */
  tensor(tokens: number): number;
  /** Seconds of the expert all-to-alls, there and back, of `tokens` tokens. */
  experts(tokens: number): number;
  /** Seconds in which ZeRO-3 gathers the layer's parameters (backward: and scatters gradients). */
  readonly gather: number;
}

/** What one layer does besides attention in one pass. */
export function layerExtras(scenario: Scenario, pass: Pass): LayerExtras {
  const { model, layout, cluster, expertParallel, elementBytes } = scenario;
  const { tp, pp } = layout;
  const flops = linearFlopsPerToken(model);
  const perLayer = (flops.total - flops.head) / model.layers;
  const times = pass === "forward" ? 1 : 2;
  const tensorGroup = groupShape(cluster, tp, 1);
  const expertGroup = groupShape(cluster, expertParallel, tp);
  // Sequence parallelism: gather and scatter the tokens' hidden vectors around attention and around
  // the feed-forward block, in both passes.
  const tensor = (tokens: number) =>
    4 * gatherTime(cluster, tensorGroup, tokens * model.hidden * elementBytes);
  const experts = (tokens: number) => {
    const bytes = (tokens / tp) * model.activeExperts * model.hidden * elementBytes;
    return 2 * allToAllTime(cluster, expertGroup, bytes);
  };
  let gather = 0;
  if (scenario.sharding === "zero3") {
    for (const { count, group } of parameterGroups(scenario)) {
      const perStageLayer = (count * pp) / model.layers;
      gather += gatherTime(cluster, group, perStageLayer * elementBytes);
      if (pass === "backward") gather += gatherTime(cluster, group, perStageLayer * gradientBytes);
    }
  }
  const { layer, attention } = rowElementsPerToken(pass, model);
  const rows = rowSeconds(cluster, layer + attention, elementBytes) / tp;
  const linear = (times * perLayer) / tp / cluster.matrixRate + rows;
  return { linear, tensor, experts, gather };
}

/** Seconds of row operators over so many elements. */
export function rowSeconds(cluster: Cluster, elements: number, elementBytes: number): number {
  return cluster.rowBandwidth === undefined ? 0 : (elements * elementBytes) / cluster.rowBandwidth;
}

/**
 * Seconds of the vocabulary projection and the loss of one token; the last stage does it. The embedding
 * is counted there too.
 */
export function headSeconds(scenario: Scenario, pass: Pass): number {
  const { model, layout, cluster, elementBytes } = scenario;
  const { head } = linearFlopsPerToken(model);
  const products = ((pass === "forward" ? 1 : 2) * head) / cluster.matrixRate;
  const rows = rowSeconds(cluster, rowElementsPerToken(pass, model).ends, elementBytes);
  return (products + rows) / layout.tp;
}
