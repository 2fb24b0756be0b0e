import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

const anyNumber = (): boolean => true;

/** `out = a + b`, equal shapes; `out` may be either. */
export function add(stream: Stream, args: { a: Tensor; b: Tensor; out: Tensor }): void {
  const check = new OperatorCheck("add", stream);
  const a = check.tensor("a", args.a, "float32", args.a?.shape ?? []);
  const b = check.like("b", args.b, args.a, "float32");
  const out = check.like("out", args.out, args.a, "float32");
  native().add(check.stream, ...([...a, ...b, ...out] as const), args.a.size);
}

/**
 * `out = x · factor`; `out` may be `x`.
 *
 * @param factor - a number, or a float32 [1] that is read when the operator runs
 */
export function scale(
  stream: Stream,
  args: { x: Tensor; factor: number | Tensor; out: Tensor },
): void {
  const check = new OperatorCheck("scale", stream);
  const x = check.tensor("x", args.x, "float32", args.x?.shape ?? []);
  const out = check.like("out", args.out, args.x, "float32");
  const { factor } = args;
  const isTensor = factor instanceof Tensor;
  const tensor = check.optional("factor", isTensor ? factor : undefined, "float32", [1]);
  const number = isTensor ? 1 : check.number("factor", factor, anyNumber, "a number or a tensor");
  native().scale(
    check.stream,
    ...([...x, ...out, args.x.size, number] as const),
    ...([...tensor] as const),
  );
}

/** Every element of `out` becomes `value`. */
export function fill(stream: Stream, args: { out: Tensor; value: number }): void {
  const check = new OperatorCheck("fill", stream);
  const out = check.tensor("out", args.out, "float32", args.out?.shape ?? []);
  const value = check.number("value", args.value, anyNumber, "a number");
  native().fill(check.stream, ...out, args.out.size, value);
}

/** `to = from`, any type, equal shapes, memory apart. */
export function copy(stream: Stream, args: { from: Tensor; to: Tensor }): void {
  const check = new OperatorCheck("copy", stream);
  const dtype = args.from?.dtype ?? "float32";
  const from = check.tensor("from", args.from, dtype, args.from?.shape ?? []);
  const to = check.like("to", args.to, args.from, dtype);
  check.apart("to", args.to, { from: args.from });
  native().copy(check.stream, ...from, ...to, args.from.byteLength);
}
