import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

/**
 * `out = x · weightᵀ (+ residual)`, float32 or bfloat16, summed in float32. Leading dimensions count
 * as rows.
 *
 * @param x - [T, K]
 * @param weight - [N, K]
 * @param out - [T, N]; may be `residual`, nothing else; float32 also for a bfloat16 x
 * @param residual - [T, N]; not with a float32 `out` of a bfloat16 `x`
 */
export function linear(
  stream: Stream,
  args: { x: Tensor; weight: Tensor; out: Tensor; residual?: Tensor | undefined },
): void {
  const check = new OperatorCheck("linear", stream);
  const lead = check.lead("x", args.x);
  const wide = lead.dtype === "bfloat16" && args.out?.dtype === "float32";
  if (wide && args.residual !== undefined) {
    throw check.error("no residual with a float32 out of a bfloat16 x", "residual", "one");
  }
  const x = check.tensor("x", args.x, lead, ["...T", "K"]);
  const weight = check.tensor("weight", args.weight, lead, ["N", "K"]);
  const residual = check.optional("residual", args.residual, lead, ["...T", "N"]);
  const out = check.tensor("out", args.out, wide ? "float32" : lead, ["...T", "N"]);
  check.apart("out", args.out, { x: args.x, weight: args.weight });
  native().linear(
    check.stream,
    ...([...x, ...weight, ...residual, ...out] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
    ...([dtypeCode[lead.dtype], dtypeCode[args.out.dtype]] as const),
  );
}

/**
 * `dx (+)= dOut · weight`, all float32 or all bfloat16.
 *
 * @param dOut - [T, N]
 * @param weight - [N, K]
 * @param dx - [T, K]
 * @param accumulate - add to `dx` (default false: overwrite)
 */
export function linearBackwardInput(
  stream: Stream,
  args: { dOut: Tensor; weight: Tensor; dx: Tensor; accumulate?: boolean | undefined },
): void {
  const check = new OperatorCheck("linearBackwardInput", stream);
  const lead = check.lead("dOut", args.dOut);
  const dOut = check.tensor("dOut", args.dOut, lead, ["...T", "N"]);
  const weight = check.tensor("weight", args.weight, lead, ["N", "K"]);
  const dx = check.tensor("dx", args.dx, lead, ["...T", "K"]);
  check.apart("dx", args.dx, { dOut: args.dOut, weight: args.weight });
  native().linearBackwardInput(
    check.stream,
    ...([...dOut, ...weight, ...dx] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
    ...([args.accumulate ?? false, dtypeCode[lead.dtype]] as const),
  );
}

/**
 * `dWeight (+)= dOutᵀ · x`; dOut and x both float32 or both bfloat16, dWeight float32.
 *
 * @param dOut - [T, N]
 * @param x - [T, K]
 * @param dWeight - [N, K]
 * @param accumulate - add to `dWeight` (default false: overwrite)
 */
export function linearBackwardWeight(
  stream: Stream,
  args: { dOut: Tensor; x: Tensor; dWeight: Tensor; accumulate?: boolean | undefined },
): void {
  const check = new OperatorCheck("linearBackwardWeight", stream);
  const lead = check.lead("dOut", args.dOut);
  const dOut = check.tensor("dOut", args.dOut, lead, ["...T", "N"]);
  const x = check.tensor("x", args.x, lead, ["...T", "K"]);
  const dWeight = check.tensor("dWeight", args.dWeight, "float32", ["N", "K"]);
  check.apart("dWeight", args.dWeight, { dOut: args.dOut, x: args.x });
  native().linearBackwardWeight(
    check.stream,
    ...([...dOut, ...x, ...dWeight] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
    ...([args.accumulate ?? false, dtypeCode[lead.dtype]] as const),
  );
}
