import { linear, linearBackwardInput, linearBackwardWeight, type Tensor } from "@libra/runtime";
import type { Parameter } from "./parameters.js";
import type { Place } from "./place.js";

/** x · Wᵀ without bias; T rows, K inputs, N outputs. */
export class Linear {
  constructor(
    readonly place: Place,
    readonly weight: Parameter,
  ) {}

  /**
   * @param x - [T, K]
   * @param to - `residual` [T, N] is added; `out` [T, N] receives the result, else a new tensor does
   * @returns [T, N]
   */
  forward(x: Tensor, to: { residual?: Tensor; out?: Tensor } = {}): Tensor {
    const { device, stream } = this.place;
    const { residual, out = device.empty([x.shape[0]!, this.weight.shape[0]!], x.dtype) } = to;
    linear(stream, { x, weight: this.weight.value, out, residual });
    return out;
  }

  /**
   * Adds to the weight's gradient.
   *
   * @param x - input of the forward pass
   * @param dOut - [T, N]
   * @param to - `dx` [T, K] receives the input's gradient, else a new tensor does; it may be `x`
   *   itself. With `accumulate` the gradient is added to what `dx` holds.
   * @returns gradient of the input, [T, K]
   */
  backward(x: Tensor, dOut: Tensor, to: { dx?: Tensor; accumulate?: boolean } = {}): Tensor {
    const { device, stream } = this.place;
    linearBackwardWeight(stream, { dOut, x, dWeight: this.weight.gradient, accumulate: true });
    const { dx = device.empty(x.shape, x.dtype), accumulate = false } = to;
    linearBackwardInput(stream, { dOut, weight: this.weight.value, dx, accumulate });
    return dx;
  }
}
