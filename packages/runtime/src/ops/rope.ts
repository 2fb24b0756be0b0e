import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isPositive, OperatorCheck } from "./check.js";

/**
 * Rotary position embedding with Hugging Face's half rotation: element `i` of the first half pairs
 * with element `i` of the second, angle `position · theta^(−2i/D)` (Su et al. 2021).
 *
 * @param x - [T, H, D], D even, float32 or bfloat16
 * @param positions - int32 [T], inside each document
 * @param theta - base of the frequencies
 * @param out - [T, H, D], as `x`; may be `x`
 * @param inverse - rotate back: the gradient of the forward pass
 */
export function rope(
  stream: Stream,
  args: {
    x: Tensor;
    positions: Tensor;
    theta: number;
    out: Tensor;
    inverse?: boolean | undefined;
  },
): void {
  const check = new OperatorCheck("rope", stream);
  const lead = check.lead("x", args.x);
  const x = check.tensor("x", args.x, lead, ["T", "H", "D"]);
  const positions = check.tensor("positions", args.positions, "int32", ["T"]);
  const out = check.tensor("out", args.out, lead, ["T", "H", "D"]);
  const theta = check.number("theta", args.theta, isPositive, "a positive number");
  const even = (value: number): boolean => value % 2 === 0;
  const headDim = check.number("head dim", check.extent("D"), even, "an even number");
  native().rope(
    check.stream,
    ...([...x, ...positions, ...out] as const),
    ...([check.extent("T"), check.extent("H"), headDim, theta, args.inverse ?? false] as const),
    dtypeCode[lead.dtype],
  );
}
