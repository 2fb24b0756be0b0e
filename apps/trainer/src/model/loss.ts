import { cast, crossEntropy, crossEntropyBackward, type Tensor } from "@libra/runtime";
import type { Linear } from "./linear.js";
import type { Place } from "./place.js";

/** Bytes of logits that are held at once, where that leaves enough rows. */
const chunkBytes = 2 ** 27;

/**
 * Rows of a chunk are a multiple of this, the depth of the kernels' product: the head's gradient is then
 * read and written as often, and added in the same order, as it would be without chunks.
 */
const rowStep = 512;

/** The rows whose loss is asked for. */
export interface LossInputs {
  /** Normed output of the last layer, [T, hidden]; the gradient of the loss is written over it. */
  readonly last: Tensor;
  /** [T] int32, −100 for none */
  readonly targets: Tensor;
  /** 1 ÷ number of targets of the global batch, 0 when it has none. */
  readonly scale: number;
  /** float64 [2]: the sum over rows with a target, and the number of such rows, are added to it. */
  readonly sums: Tensor;
}

/** @returns rows of logits that are held at once; depends on nothing but the vocabulary */
export function lossRows(vocabulary: number): number {
  const rows = Math.floor(chunkBytes / (4 * vocabulary * rowStep)) * rowStep;
  return Math.max(rowStep, rows);
}

/**
 * Head, cross-entropy and both their gradients, a chunk of rows at a time: the number of targets is known
 * before, so a chunk's gradient needs no other chunk, and no more logits than one chunk's exist. A sum
 * and a number, never a mean, so that parts add up. Adds to the head's gradient. Logits and their loss
 * are float32 whatever the model's dtype is; their gradient is rounded to it.
 *
 * @returns the gradient of `last`, in its place
 */
export function tokenLoss(place: Place, head: Linear, inputs: LossInputs): Tensor {
  const { device, stream } = place;
  const { last, targets, scale, sums } = inputs;
  const vocabulary = head.weight.shape[0]!;
  const rows = last.shape[0]!;
  const most = Math.min(rows, lossRows(vocabulary));
  device.scope(() => {
    const chunk = device.empty([most, vocabulary]);
    const sumOfChunk = device.empty([most]);
    const narrow = last.dtype === "float32" ? undefined : device.empty(chunk.shape, last.dtype);
    for (let start = 0; start < rows; start += most) {
      const end = Math.min(rows, start + most);
      const x = last.slice(start, end);
      const logits = chunk.slice(0, end - start);
      const logSumExp = sumOfChunk.slice(0, end - start);
      const loss = { logits, targets: targets.slice(start, end), logSumExp };
      head.forward(x, { out: logits });
      crossEntropy(stream, { ...loss, sums, accumulate: true });
      crossEntropyBackward(stream, { ...loss, scale, dLogits: logits });
      const dOut = narrow?.slice(0, end - start) ?? logits;
      if (dOut !== logits) cast(stream, { from: logits, to: dOut });
      head.backward(x, dOut, { dx: x });
    }
  });
  return last;
}
