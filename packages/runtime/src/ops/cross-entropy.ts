import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isReal, OperatorCheck } from "./check.js";

/**
 * Sum of `logSumExp − logit of the target` over rows with a target, and their number: never a
 * mean, so that ranks can add. Target −100 is ignored; another one outside 0 … V − 1 fails the
 * stream.
 *
 * @param logits - [T, V]
 * @param targets - int32 [T]
 * @param sums - float64 [2]: sum and number
 * @param logSumExp - [T], natural logarithm, for the backward pass
 * @param accumulate - add to `sums` (default false: overwrite)
 */
export function crossEntropy(
  stream: Stream,
  args: {
    logits: Tensor;
    targets: Tensor;
    sums: Tensor;
    logSumExp: Tensor;
    accumulate?: boolean | undefined;
  },
): void {
  const check = new OperatorCheck("crossEntropy", stream);
  const logits = check.tensor("logits", args.logits, "float32", ["T", "V"]);
  const targets = check.tensor("targets", args.targets, "int32", ["T"]);
  const sums = check.tensor("sums", args.sums, "float64", [2]);
  const logSumExp = check.tensor("logSumExp", args.logSumExp, "float32", ["T"]);
  native().crossEntropy(
    check.stream,
    ...([...logits, ...targets, ...sums, ...logSumExp] as const),
    ...([check.extent("T"), check.extent("V"), args.accumulate ?? false] as const),
  );
}

/**
 * `dLogits = scale · (softmax − onehot(target))`, 0 for ignored rows.
 *
 * @param logits - [T, V]
 * @param targets - int32 [T]
 * @param logSumExp - [T], from the forward pass
 * @param scale - usually 1 / number of valid targets of the global batch
 * @param dLogits - [T, V]; may be `logits`
 */
export function crossEntropyBackward(
  stream: Stream,
  args: { logits: Tensor; targets: Tensor; logSumExp: Tensor; scale: number; dLogits: Tensor },
): void {
  const check = new OperatorCheck("crossEntropyBackward", stream);
  const logits = check.tensor("logits", args.logits, "float32", ["T", "V"]);
  const targets = check.tensor("targets", args.targets, "int32", ["T"]);
  const logSumExp = check.tensor("logSumExp", args.logSumExp, "float32", ["T"]);
  const dLogits = check.tensor("dLogits", args.dLogits, "float32", ["T", "V"]);
  const scale = check.number("scale", args.scale, isReal, "a finite number");
  native().crossEntropyBackward(
    check.stream,
    ...([...logits, ...targets, ...logSumExp, ...dLogits] as const),
    ...([check.extent("T"), check.extent("V"), scale] as const),
  );
}
