import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isPositive, OperatorCheck } from "./check.js";

/**
 * `out = x · inverseRms · weight`, `inverseRms = 1 / √(mean(x²) + eps)` by row (Zhang and Sennrich
 * 2019). Leading dimensions count as rows: a norm per head is this on [T, H, D]. x and out are float32
 * or bfloat16, weight and inverseRms float32.
 *
 * @param x - [R, N]
 * @param weight - [N]
 * @param out - [R, N]
 * @param inverseRms - [R], for the backward pass
 */
export function rmsNorm(
  stream: Stream,
  args: { x: Tensor; weight: Tensor; out: Tensor; inverseRms: Tensor; eps: number },
): void {
  const check = new OperatorCheck("rmsNorm", stream);
  const lead = check.lead("x", args.x);
  const x = check.tensor("x", args.x, lead, ["...R", "N"]);
  const weight = check.tensor("weight", args.weight, "float32", ["N"]);
  const out = check.like("out", args.out, args.x, lead);
  const inverseRms = check.tensor("inverseRms", args.inverseRms, "float32", ["...R"]);
  const eps = check.number("eps", args.eps, isPositive, "a positive number");
  native().rmsNorm(
    check.stream,
    ...([...x, ...weight, ...out, ...inverseRms] as const),
    ...([check.extent("R"), check.extent("N"), eps, dtypeCode[lead.dtype]] as const),
  );
}

/**
 * Gradients of {@link rmsNorm}; dOut, x and dx have one type, the others are float32.
 *
 * @param dOut - [R, N]
 * @param x - [R, N], the input of the forward pass
 * @param weight - [N]
 * @param inverseRms - [R], from the forward pass
 * @param dx - [R, N]
 * @param dWeight - [N]
 * @param accumulate - add to `dx` (default false)
 * @param accumulateWeight - add to `dWeight` (default false)
 */
export function rmsNormBackward(
  stream: Stream,
  args: {
    dOut: Tensor;
    x: Tensor;
    weight: Tensor;
    inverseRms: Tensor;
    dx: Tensor;
    dWeight: Tensor;
    accumulate?: boolean | undefined;
    accumulateWeight?: boolean | undefined;
  },
): void {
  const check = new OperatorCheck("rmsNormBackward", stream);
  const lead = check.lead("x", args.x);
  const x = check.tensor("x", args.x, lead, ["...R", "N"]);
  const dOut = check.like("dOut", args.dOut, args.x, lead);
  const weight = check.tensor("weight", args.weight, "float32", ["N"]);
  const inverseRms = check.tensor("inverseRms", args.inverseRms, "float32", ["...R"]);
  const dx = check.like("dx", args.dx, args.x, lead);
  const dWeight = check.tensor("dWeight", args.dWeight, "float32", ["N"]);
  check.apart("dx", args.dx, { x: args.x, dWeight: args.dWeight });
  native().rmsNormBackward(
    check.stream,
    ...([...dOut, ...x, ...weight, ...inverseRms, ...dx, ...dWeight] as const),
    ...([check.extent("R"), check.extent("N")] as const),
    ...([args.accumulate ?? false, args.accumulateWeight ?? false] as const),
    dtypeCode[lead.dtype],
  );
}
