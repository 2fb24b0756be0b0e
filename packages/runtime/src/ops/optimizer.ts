import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isCount, isPositive, isReal, OperatorCheck } from "./check.js";

/**
 * `out (+)= Σ x²` in double precision, in a fixed order.
 *
 * @param x - any shape
 * @param out - float64 [1]
 * @param accumulate - add to `out` (default false: overwrite)
 */
export function sumSquares(
  stream: Stream,
  args: { x: Tensor; out: Tensor; accumulate?: boolean | undefined },
): void {
  const check = new OperatorCheck("sumSquares", stream);
  const x = check.tensor("x", args.x, "float32", args.x?.shape ?? []);
  const out = check.tensor("out", args.out, "float64", [1]);
  native().sumSquares(check.stream, ...x, ...out, args.x.size, args.accumulate ?? false);
}

/**
 * `norm = √sumSquares`, `out = min(1, maxNorm / norm)`: the factor that clips gradients.
 *
 * @param sumSquares - float64 [1]
 * @param out - float32 [1]
 * @param norm - float32 [1]
 */
export function clipFactor(
  stream: Stream,
  args: { sumSquares: Tensor; maxNorm: number; out: Tensor; norm: Tensor },
): void {
  const check = new OperatorCheck("clipFactor", stream);
  const squares = check.tensor("sumSquares", args.sumSquares, "float64", [1]);
  const out = check.tensor("out", args.out, "float32", [1]);
  const norm = check.tensor("norm", args.norm, "float32", [1]);
  const positive = (value: number): boolean => value > 0;
  const maxNorm = check.number("maxNorm", args.maxNorm, positive, "a positive number");
  native().clipFactor(check.stream, ...squares, ...out, ...norm, maxNorm);
}

/**
 * One step of AdamW with decoupled weight decay (Loshchilov and Hutter 2019), as torch.optim.AdamW.
 * All of one shape; `parameter`, `m` and `v` change.
 *
 * @param step - of this update, from 1
 * @param gradientFactor - float32 [1] that multiplies the gradient, read when the operator runs
 */
export function adamW(
  stream: Stream,
  args: {
    parameter: Tensor;
    gradient: Tensor;
    m: Tensor;
    v: Tensor;
    learningRate: number;
    beta1: number;
    beta2: number;
    eps: number;
    weightDecay: number;
    step: number;
    gradientFactor?: Tensor | undefined;
  },
): void {
  const check = new OperatorCheck("adamW", stream);
  const shape = args.parameter?.shape ?? [];
  const parameter = check.tensor("parameter", args.parameter, "float32", shape);
  const gradient = check.like("gradient", args.gradient, args.parameter, "float32");
  const m = check.like("m", args.m, args.parameter, "float32");
  const v = check.like("v", args.v, args.parameter, "float32");
  const factor = check.optional("gradientFactor", args.gradientFactor, "float32", [1]);
  const decay = (value: number): boolean => value >= 0 && value < 1;
  native().adamW(
    check.stream,
    ...([...parameter, ...gradient, ...m, ...v, ...factor, args.parameter.size] as const),
    check.number("learningRate", args.learningRate, isReal, "a finite number"),
    check.number("beta1", args.beta1, decay, "a number from 0 to below 1"),
    check.number("beta2", args.beta2, decay, "a number from 0 to below 1"),
    check.number("eps", args.eps, isPositive, "a positive number"),
    check.number("weightDecay", args.weightDecay, isReal, "a finite number"),
    check.number("step", args.step, isCount, "a positive integer"),
  );
}
