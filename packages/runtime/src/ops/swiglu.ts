import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { OperatorCheck } from "./check.js";

/**
 * `out = gate · sigmoid(gate) · up` (Shazeer 2020); all float32 or all bfloat16.
 *
 * @param gate - [T, F]
 * @param up - [T, F]
 * @param out - [T, F]
 */
export function swiglu(stream: Stream, args: { gate: Tensor; up: Tensor; out: Tensor }): void {
  const check = new OperatorCheck("swiglu", stream);
  const lead = check.lead("gate", args.gate);
  const gate = check.tensor("gate", args.gate, lead, args.gate.shape);
  const up = check.like("up", args.up, args.gate, lead);
  const out = check.like("out", args.out, args.gate, lead);
  native().swiglu(
    check.stream,
    ...([...gate, ...up, ...out] as const),
    ...([args.gate.size, dtypeCode[lead.dtype]] as const),
  );
}

/**
 * Gradients of {@link swiglu}, all of one type. `dGate` and `dUp` may be its inputs or `dOut`.
 *
 * @param dOut - [T, F]
 * @param gate - [T, F]
 * @param up - [T, F]
 * @param dGate - [T, F]
 * @param dUp - [T, F]
 */
export function swigluBackward(
  stream: Stream,
  args: { dOut: Tensor; gate: Tensor; up: Tensor; dGate: Tensor; dUp: Tensor },
): void {
  const check = new OperatorCheck("swigluBackward", stream);
  const lead = check.lead("gate", args.gate);
  const gate = check.tensor("gate", args.gate, lead, args.gate.shape);
  const dOut = check.like("dOut", args.dOut, args.gate, lead);
  const up = check.like("up", args.up, args.gate, lead);
  const dGate = check.like("dGate", args.dGate, args.gate, lead);
  const dUp = check.like("dUp", args.dUp, args.gate, lead);
  check.apart("dUp", args.dUp, { dGate: args.dGate });
  native().swigluBackward(
    check.stream,
    ...([...dOut, ...gate, ...up, ...dGate, ...dUp] as const),
    ...([args.gate.size, dtypeCode[lead.dtype]] as const),
  );
}
