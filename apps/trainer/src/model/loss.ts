import { crossEntropy, crossEntropyBackward, type Tensor } from "@libra/runtime";
import type { Place } from "./place.js";

/** The loss of some rows: a sum and a number, never a mean, so that parts add up. */
export interface LossResult {
  /** float64 [2]: sum over rows with a target, number of such rows. */
  readonly sums: Tensor;
  /**
   * @param scale - 1 ÷ number of targets of the global batch, 0 when it has none
   * @returns gradient of the logits, written over them
   */
  backward(scale: number): Tensor;
}

/** @param logits - [T, vocabulary]; @param targets - [T] int32, −100 for none */
export function tokenLoss(place: Place, logits: Tensor, targets: Tensor): LossResult {
  const { device, stream } = place;
  const sums = device.zeros([2], "float64");
  const logSumExp = device.empty([targets.shape[0]!]);
  crossEntropy(stream, { logits, targets, sums, logSumExp });
  return {
    sums,
    backward(scale) {
      crossEntropyBackward(stream, { logits, targets, logSumExp, scale, dLogits: logits });
      return logits;
    },
  };
}
