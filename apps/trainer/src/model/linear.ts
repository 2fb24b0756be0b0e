import { linear, linearBackwardInput, linearBackwardWeight, type Tensor } from "@libra/runtime";
import type { Parameter } from "./parameters.js";
import type { Place } from "./place.js";

/** x · Wᵀ without bias; T rows, K inputs, N outputs. */
export class Linear {
  constructor(
    readonly place: Place,
    readonly weight: Parameter,
  ) {}

  /** @param x - [T, K]; @param residual - [T, N], added; @returns [T, N] */
  forward(x: Tensor, residual?: Tensor): Tensor {
    const { device, stream } = this.place;
    const out = device.empty([x.shape[0]!, this.weight.shape[0]!]);
    const weight = this.weight.value;
    linear(stream, residual ? { x, weight, out, residual } : { x, weight, out });
    return out;
  }

  /**
   * Adds to the weight's gradient.
   *
   * @param x - input of the forward pass; @param dOut - [T, N]
   * @param addTo - [T, K], receives the input's gradient on top of what it holds
   * @returns gradient of the input, [T, K]; `addTo` when given
   */
  backward(x: Tensor, dOut: Tensor, addTo?: Tensor): Tensor {
    const { device, stream } = this.place;
    const dWeight = this.weight.gradient;
    linearBackwardWeight(stream, { dOut, x, dWeight, accumulate: true });
    const dx = addTo ?? device.empty(x.shape);
    const weight = this.weight.value;
    linearBackwardInput(stream, { dOut, weight, dx, accumulate: addTo !== undefined });
    return dx;
  }
}
