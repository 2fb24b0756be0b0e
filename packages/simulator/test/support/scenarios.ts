import { type AttentionTimer, linearTimer, type ModelShape } from "@libra/cost-model";
import type { Cluster } from "../../src/machine/cluster.js";
import { clusterByName } from "../../src/machine/cluster.js";

/** A model small enough to simulate in a moment. */
export const tinyModel: ModelShape = Object.freeze({
  name: "tiny",
  layers: 4,
  hidden: 256,
  queryHeads: 8,
  kvHeads: 2,
  headDim: 32,
  valueDim: 32,
  ffn: 512,
  experts: 0,
  activeExperts: 1,
  vocab: 1000,
  tiedEmbeddings: false,
  rmsNormEps: 1e-6,
  ropeTheta: 1e6,
});

/** The same with experts. */
export const tinyExperts: ModelShape = Object.freeze({
  ...tinyModel,
  name: "tiny experts",
  experts: 8,
  activeExperts: 2,
  ffn: 128,
});

/** Seconds of one pair of one query head in {@link pairsTimer}, forward and backward. */
export const pairSeconds = { forward: 2e-10, backward: 5e-10 };

/** Time in proportion to pairs, nothing else: predicted time is then planning cost. */
export const pairsTimer: AttentionTimer = linearTimer(
  {
    forward: { launch: 0, pairs: pairSeconds.forward, rows: 0, keys: 0, segment: 0 },
    backward: { launch: 0, pairs: pairSeconds.backward, rows: 0, keys: 0, segment: 0 },
  },
  1,
);

const nothing = { latency: 0, bandwidth: 1e300 };

/** Two ranks a node; bytes take no time, and neither does the optimizer. */
export function idealCluster(timer: AttentionTimer = pairsTimer): Cluster {
  return {
    ...clusterByName("h100-ib"),
    name: "ideal",
    ranksPerNode: 2,
    cardsPerNode: 2,
    links: [nothing, nothing, nothing, nothing],
    memoryBandwidth: 1e300,
    timer: () => timer,
  };
}

/** Long-tailed lengths, the same for the same seed. */
export function longTail(count: number, seed: number, median = 60, sigma = 1.5): Uint32Array {
  let state = seed + 1;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return Uint32Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return Math.max(1, Math.round(median * Math.exp(sigma * normal)));
  });
}
