import { activationBytesPerToken } from "@libra/cost-model";
import type { Scenario } from "../scenario.js";
import { gradientBytes, optimizerBytes, parameterGroups } from "./parameters.js";

/** Bytes that the fullest rank holds at its peak. */
export interface MemoryReport {
  /** Parameters, gradients and optimizer state; with `zero3` one gathered layer beside them. */
  readonly state: number;
  /** Activations of the micro-steps between forward and backward. */
  readonly activations: number;
  /** Remote q, k, v and o of one attention layer. */
  readonly remote: number;
  /** Logits of one block of rows in float32. */
  readonly logits: number;
  readonly total: number;
  /** Bytes of the device. */
  readonly available: number;
  /** Whether the total is within 92 % of the device: the rest is for the driver and fragments. */
  readonly fits: boolean;
}

/** What attention asks of the fullest rank. */
export interface HeldRows {
  /** Tokens of the rank that owns most, in one micro-step. */
  readonly tokens: number;
  /** Bytes of foreign q, k, v and o that the fullest worker holds in one layer. */
  readonly remoteBytes: number;
}

// The loss is computed over blocks of rows, so logits of a whole window never exist at once.
const lossRows = 8192;

/**
 * Memory of the fullest rank: the first pipeline stage, which has the most micro-steps under way.
 */
export function rankMemory(scenario: Scenario, held: HeldRows): MemoryReport {
  const { model, layout, elementBytes, recompute, microSteps, parts } = scenario;
  const { tp, pp } = layout;
  const layers = model.layers / pp;
  // Warm-up forwards of the first stage and the one after them (see pipelineOrder).
  const wanted = parts === 1 ? pp : ((parts + 1) * pp - 1) / parts;
  const underWay = Math.min(microSteps, wanted);
  const perToken = activationBytesPerToken(model, elementBytes) / tp / pp;
  const inputs = (model.hidden * elementBytes * layers) / tp;
  const activations =
    recompute === "none"
      ? held.tokens * perToken * underWay
      : held.tokens * (inputs * underWay + perToken / layers);
  const remote = held.remoteBytes;
  const logits = (Math.min(held.tokens, lossRows) * model.vocab * 4) / tp;
  const state = stateBytes(scenario, layers);
  const total = state + activations + remote + logits;
  const available = scenario.cluster.memoryBytes;
  return Object.freeze({
    state,
    activations,
    remote,
    logits,
    total,
    available,
    fits: total <= 0.92 * available,
  });
}

function stateBytes(scenario: Scenario, layers: number): number {
  const { sharding, elementBytes } = scenario;
  let bytes = 0;
  for (const { count, group } of parameterGroups(scenario)) {
    const share = (level: boolean) => (level ? 1 / group.ranks : 1);
    bytes += count * optimizerBytes * share(sharding !== "none");
    bytes += count * gradientBytes * share(sharding === "zero2" || sharding === "zero3");
    bytes += count * elementBytes * share(sharding === "zero3");
    if (sharding === "zero3") bytes += (2 * count * elementBytes) / layers;
  }
  return bytes;
}
