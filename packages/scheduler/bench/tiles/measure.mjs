// Figures of one pool's plan beside a Ulysses plan of the same pool.
import { planTraffic } from "@libra/scheduler";

const networkBytesPerSecond = 45e9;
const attentionFlops = 600e12;

function sums(traffic) {
  const { ranks, sent, received } = traffic;
  let all = 0;
  let busiestIn = 0;
  let busiestOut = 0;
  let far = 0;
  for (let r = 0; r < ranks; r++) {
    const out = sent[4 * r + 1] + sent[4 * r + 2] + sent[4 * r + 3];
    const into = received[4 * r + 1] + received[4 * r + 2] + received[4 * r + 3];
    all += out;
    busiestOut = Math.max(busiestOut, out);
    busiestIn = Math.max(busiestIn, into);
    far = Math.max(
      far,
      sent[4 * r + 2] + sent[4 * r + 3],
      received[4 * r + 2] + received[4 * r + 3],
    );
  }
  return { all, busiestIn, busiestOut, far };
}

/** Forward bytes of a plan; every figure is of the whole pass. */
export function poolTraffic(plan, hops) {
  const { total, peers } = planTraffic(plan, { hops });
  return { ...sums(total), peers: peers.reduce((a, b) => Math.max(a, b), 0) };
}

/** Rows × heads of the fullest worker, and the most sequences of other groups on one worker. */
export function heldAndForeign(plan) {
  const held = new Float64Array(plan.workers);
  const foreign = Array.from(held, () => new Set());
  for (let t = 0; t < plan.count; t++) {
    const w = plan.worker[t];
    held[w] += plan.rowCount[t] * plan.headCount[t];
    if (Math.floor(w / plan.cp) !== plan.sequence[t]) foreign[w].add(plan.sequence[t]);
  }
  return {
    held: held.reduce((a, b) => Math.max(a, b), 0),
    foreign: foreign.reduce((most, set) => Math.max(most, set.size), 0),
  };
}

/** Seconds of balanced attention forward: causal pairs at 2·(D + Dv) FLOPs each. */
export function balancedSeconds(plan) {
  const { headDim, valueDim } = plan.heads;
  return (2 * (headDim + valueDim) * plan.total) / plan.workers / attentionFlops;
}

/** All figures of one pool; `reference` is the traffic and held rows of its Ulysses plan. */
export function measurePool(plan, reference) {
  const oneHop = poolTraffic(plan, 1);
  const twoHops = poolTraffic(plan, 2);
  const { held, foreign } = heldAndForeign(plan);
  const compute = balancedSeconds(plan);
  const ratio = (a, b) => (b > 0 ? a / b : a > 0 ? Number.POSITIVE_INFINITY : 1);
  return {
    bytesRatio: ratio(oneHop.all, reference.traffic.all),
    busiestRankBytesRatio: ratio(
      Math.max(oneHop.busiestIn, oneHop.busiestOut),
      Math.max(reference.traffic.busiestIn, reference.traffic.busiestOut),
    ),
    egressRatio: ratio(oneHop.busiestOut, reference.traffic.busiestOut),
    heldRatio: held / reference.held,
    interNodeOverCompute: twoHops.far / networkBytesPerSecond / compute,
    interNodeOverComputeOneHop: oneHop.far / networkBytesPerSecond / compute,
    foreign,
    peers: twoHops.peers,
  };
}
