import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

const anyNumber = (): boolean => true;

/** `out = a + b`, equal shapes, all float32 or all bfloat16; `out` may be either. */
export function add(stream: Stream, args: { a: Tensor; b: Tensor; out: Tensor }): void {
  const check = new OperatorCheck("add", stream);
  const lead = check.lead("a", args.a);
  const a = check.tensor("a", args.a, lead, args.a.shape);
  const b = check.like("b", args.b, args.a, lead);
  const out = check.like("out", args.out, args.a, lead);
  native().add(
    check.stream,
    ...([...a, ...b, ...out] as const),
    ...([args.a.size, dtypeCode[lead.dtype]] as const),
  );
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

/** Every element of `out`, float32 or bfloat16, becomes `value` (rounded to nearest even). */
export function fill(stream: Stream, args: { out: Tensor; value: number }): void {
  const check = new OperatorCheck("fill", stream);
  const lead = check.lead("out", args.out);
  const out = check.tensor("out", args.out, lead, args.out.shape);
  const value = check.number("value", args.value, anyNumber, "a number");
  native().fill(check.stream, ...out, args.out.size, value, dtypeCode[lead.dtype]);
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

/**
 * Converts between float32 and bfloat16 (round to nearest even): `to` has the other type, the same
 * shape, memory apart.
 */
export function cast(stream: Stream, args: { from: Tensor; to: Tensor }): void {
  const check = new OperatorCheck("cast", stream);
  const lead = check.lead("from", args.from);
  const narrows = lead.dtype === "float32";
  const from = check.tensor("from", args.from, lead, args.from.shape);
  const to = check.like("to", args.to, args.from, narrows ? "bfloat16" : "float32");
  check.apart("to", args.to, { from: args.from });
  const convert = narrows ? native().narrow : native().widen;
  convert(check.stream, ...([...from, ...to] as const), args.from.size);
}
