import {
  accumulateVectors,
  add,
  cast,
  fill,
  type Stream,
  scatterVectors,
  type Tensor,
} from "@libra/runtime";
import type { Staging } from "./exchange.js";
import type { KeyReturn } from "./key-return.js";

/** A gradient of keys or values and what it is made of. */
export interface KeyParts {
  /** The gradient, of the operator's type. */
  readonly to: Tensor;
  /** Partials of other workers, as they came. */
  readonly partial: Tensor;
  /** Float32 sums of the owner's home tiles, laid out as `to`. */
  readonly own: Tensor | undefined;
  readonly vectorSize: number;
}

/** Makes dK or dV at home: in the fixed order of the sums, in float32, rounded once. */
export function sumKeys(
  stream: Stream,
  staging: Staging,
  keys: KeyReturn,
  { to, partial, own, vectorSize }: KeyParts,
): void {
  if (keys.scatter !== undefined) {
    if (own !== undefined && own !== to) cast(stream, { from: own, to });
    scatterVectors(stream, { from: partial, to, blocks: keys.scatter, vectorSize });
    return;
  }
  const { before, after } = keys;
  const first = own !== undefined && before.from.length === 0;
  const sum = first ? own : sumFor(staging, to, vectorSize);
  if (!first) {
    fill(stream, { out: sum, value: 0 });
    accumulateVectors(stream, { from: partial, to: sum, list: before, vectorSize });
    if (own !== undefined) add(stream, { a: sum, b: own, out: sum });
  }
  accumulateVectors(stream, { from: partial, to: sum, list: after, vectorSize });
  if (sum !== to) cast(stream, { from: sum, to });
}

/** A float32 tensor laid out as the gradient: itself when it is one. */
export function sumFor(staging: Staging, to: Tensor, vectorSize: number): Tensor {
  if (to.dtype === "float32") return to;
  return staging.empty(to.size / vectorSize, vectorSize).reshape(...to.shape);
}
