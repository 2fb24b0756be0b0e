import { crossEntropy, crossEntropyBackward, type Tensor } from "@libra/runtime";
import type { Place } from "./place.js";

/**
 * The loss of some rows: a sum and a number, never a mean, so that parts add up.
 *
 * @param logits - [T, vocabulary]
 * @param targets - [T] int32, −100 for none
 * @param sums - float64 [2], receives the sum over rows with a target and the number of such rows
 * @returns the backward pass; `scale` is 1 ÷ number of targets of the global batch, 0 when it has none;
 *   the gradient is written over the logits
 */
export function tokenLoss(
  place: Place,
  logits: Tensor,
  targets: Tensor,
  sums: Tensor,
): { backward(scale: number): Tensor } {
  const { device, stream } = place;
  const logSumExp = device.empty([targets.shape[0]!]);
  crossEntropy(stream, { logits, targets, sums, logSumExp });
  return {
    backward(scale) {
      crossEntropyBackward(stream, { logits, targets, logSumExp, scale, dLogits: logits });
      return logits;
    },
  };
}
