import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

/**
 * `out = x · weightᵀ (+ residual)`. Leading dimensions count as rows.
 *
 * @param x - [T, K]
 * @param weight - [N, K]
 * @param out - [T, N]; may be `residual`, nothing else
 * @param residual - [T, N]
 */
export function linear(
  stream: Stream,
  args: { x: Tensor; weight: Tensor; out: Tensor; residual?: Tensor | undefined },
): void {
  const check = new OperatorCheck("linear", stream);
  const x = check.tensor("x", args.x, "float32", ["...T", "K"]);
  const weight = check.tensor("weight", args.weight, "float32", ["N", "K"]);
  const residual = check.optional("residual", args.residual, "float32", ["...T", "N"]);
  const out = check.tensor("out", args.out, "float32", ["...T", "N"]);
  check.apart("out", args.out, { x: args.x, weight: args.weight });
  native().linear(
    check.stream,
    ...([...x, ...weight, ...residual, ...out] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
  );
}

/**
 * `dx (+)= dOut · weight`.
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
  const dOut = check.tensor("dOut", args.dOut, "float32", ["...T", "N"]);
  const weight = check.tensor("weight", args.weight, "float32", ["N", "K"]);
  const dx = check.tensor("dx", args.dx, "float32", ["...T", "K"]);
  check.apart("dx", args.dx, { dOut: args.dOut, weight: args.weight });
  native().linearBackwardInput(
    check.stream,
    ...([...dOut, ...weight, ...dx] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
    args.accumulate ?? false,
  );
}

/**
 * `dWeight (+)= dOutᵀ · x`.
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
  const dOut = check.tensor("dOut", args.dOut, "float32", ["...T", "N"]);
  const x = check.tensor("x", args.x, "float32", ["...T", "K"]);
  const dWeight = check.tensor("dWeight", args.dWeight, "float32", ["N", "K"]);
  check.apart("dWeight", args.dWeight, { dOut: args.dOut, x: args.x });
  native().linearBackwardWeight(
    check.stream,
    ...([...dOut, ...x, ...dWeight] as const),
    ...([check.extent("T"), check.extent("K"), check.extent("N")] as const),
    args.accumulate ?? false,
  );
}
