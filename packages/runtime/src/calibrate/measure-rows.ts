import { type ModelShape, rowElementsPerToken } from "@libra/cost-model";
import { attentionDelta } from "../ops/attention.js";
import { crossEntropy, crossEntropyBackward } from "../ops/cross-entropy.js";
import { fill } from "../ops/elementwise.js";
import { embedding, embeddingBackward } from "../ops/embedding.js";
import { rmsNorm, rmsNormBackward } from "../ops/rms-norm.js";
import { rope } from "../ops/rope.js";
import { swiglu, swigluBackward } from "../ops/swiglu.js";
import type { Rank } from "../rank.js";
import { uniform } from "./measure-attention.js";
import { measureRounds, type RoundsOptions } from "./rounds.js";

const rows = 2048;

/** One layer of a small model and its ends. */
const model: ModelShape = {
  name: "rows of a small model",
  ...{ layers: 1, hidden: 256, ffn: 768, experts: 0, activeExperts: 1, vocab: 4096 },
  ...{ queryHeads: 8, kvHeads: 2, headDim: 64, valueDim: 64 },
  ...{ tiedEmbeddings: false, rmsNormEps: 1e-6, ropeTheta: 1e6 },
};

/**
 * Times norms, rotations, activations and the loss of one layer, forward and backward.
 *
 * @returns bytes per second, of the bytes that `rowElementsPerToken` counts: processor time of the
 *   busiest thread
 */
export async function measureRows(rank: Rank, options: RoundsOptions): Promise<number> {
  const enqueue = layerOf(rank);
  const stream = rank.stream("compute");
  const measure = async () => {
    stream.resetTimings();
    enqueue();
    await stream.done();
    return Object.values(stream.timings()).reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1e3;
  };
  const [seconds] = await measureRounds([measure], options);
  const elements = (["forward", "backward"] as const)
    .map((pass) => rowElementsPerToken(pass, model))
    .reduce((sum, { layer, attention, ends }) => sum + layer + attention + ends, 0);
  return (4 * rows * elements) / seconds!;
}

/** What enqueues the operators once; tensors are larger than caches, as between real layers. */
function layerOf(rank: Rank): () => void {
  const { device } = rank;
  const { hidden, queryHeads, kvHeads, headDim, ffn, vocab } = model;
  const heads = queryHeads + kvHeads;
  const stream = rank.stream("compute");
  let seed = 1;
  const tensor = (...shape: number[]) =>
    device.fromArray(
      uniform(
        shape.reduce((a, b) => a * b),
        seed++,
      ),
      shape,
    );
  const integers = (below: number) =>
    device.fromArray(
      Int32Array.from({ length: rows }, (_, i) => (i * 7919) % below),
      [rows],
    );
  const positions = integers(rows);
  const ids = integers(vocab);
  const norm = (count: number, width: number) => {
    const [x, dx, weight] = [tensor(count, width), tensor(count, width), tensor(width)];
    const [out, dOut, dWeight] = [tensor(count, width), tensor(count, width), tensor(width)];
    const inverseRms = device.empty([count]);
    return {
      forward: () => rmsNorm(stream, { x, weight, out, inverseRms, eps: 1e-6 }),
      backward: (accumulate: boolean) => {
        const gradients = { dx, dWeight, accumulate, accumulateWeight: true };
        rmsNormBackward(stream, { dOut, x, weight, inverseRms, ...gradients });
      },
    };
  };
  // Two of a layer and the last one; q and k side by side are as many rows as their heads.
  const norms = [norm(rows, hidden), norm(rows, hidden), norm(rows, hidden)];
  const headNorm = norm(rows * heads, headDim);
  const turned = tensor(rows, heads, headDim);
  const turn = (inverse: boolean) =>
    rope(stream, { x: turned, positions, theta: model.ropeTheta, out: turned, inverse });
  const [gate, up, product] = [tensor(rows, ffn), tensor(rows, ffn), tensor(rows, ffn)];
  const [dGate, dUp, dProduct] = [tensor(rows, ffn), tensor(rows, ffn), tensor(rows, ffn)];
  const attended = tensor(rows, queryHeads, headDim);
  const dAttended = tensor(rows, queryHeads, headDim);
  const delta = device.empty([rows, queryHeads]);
  const gradients = device.empty([rows, heads + kvHeads, headDim]);
  const [logits, logSumExp] = [tensor(rows, vocab), device.empty([rows])];
  const sums = device.zeros([2], "float64");
  const [table, embedded] = [tensor(vocab, hidden), tensor(rows, hidden)];
  const loss = { logits, targets: ids, logSumExp };
  return () => {
    embedding(stream, { ids, table, out: embedded });
    for (const each of norms) each.forward();
    headNorm.forward();
    turn(false);
    swiglu(stream, { gate, up, out: product });
    crossEntropy(stream, { ...loss, sums });
    crossEntropyBackward(stream, { ...loss, scale: 1 / rows, dLogits: logits });
    // The last norm has no residual beside it.
    for (const [i, each] of norms.entries()) each.backward(i < 2);
    headNorm.backward(false);
    turn(true);
    swigluBackward(stream, { dOut: dProduct, gate, up, dGate, dUp });
    attentionDelta(stream, { out: attended, dOut: dAttended, delta });
    fill(stream, { out: gradients, value: 0 });
    embeddingBackward(stream, { ids, dOut: embedded, dTable: table, accumulate: true });
  };
}
