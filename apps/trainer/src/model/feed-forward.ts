import { swiglu, swigluBackward, type Tensor } from "@libra/runtime";
import { Linear } from "./linear.js";
import { layerName } from "./parameter-shapes.js";
import type { Parameters } from "./parameters.js";
import type { Place } from "./place.js";

/** What the backward pass of one feed-forward layer needs; [T, intermediate] but for x. */
export interface FeedForwardSaved {
  /** Normed input, [T, hidden]. */
  readonly x: Tensor;
  readonly gate: Tensor;
  readonly up: Tensor;
  readonly product: Tensor;
}

/** down(silu(gate(x)) · up(x)) plus residual. */
export class FeedForward {
  readonly #place: Place;
  readonly #gate: Linear;
  readonly #up: Linear;
  readonly #down: Linear;

  constructor(place: Place, parameters: Parameters, layer: number) {
    const parameter = (part: string) => parameters.get(layerName(layer, `mlp.${part}`));
    this.#place = place;
    this.#gate = new Linear(place, parameter("gate_proj"));
    this.#up = new Linear(place, parameter("up_proj"));
    this.#down = new Linear(place, parameter("down_proj"));
  }

  /** @param x - normed, [T, hidden]; @param residual - [T, hidden]; @returns [T, hidden] */
  forward(x: Tensor, residual: Tensor): { out: Tensor; saved: FeedForwardSaved } {
    const gate = this.#gate.forward(x);
    const up = this.#up.forward(x);
    const product = this.#place.device.empty(gate.shape, gate.dtype);
    swiglu(this.#place.stream, { gate, up, out: product });
    return { out: this.#down.forward(product, { residual }), saved: { x, gate, up, product } };
  }

  /** @param dOut - [T, hidden]; @returns gradient of the normed input, [T, hidden] */
  backward({ x, gate, up, product }: FeedForwardSaved, dOut: Tensor): Tensor {
    const { device, stream } = this.#place;
    const dProduct = this.#down.backward(product, dOut);
    const dGate = device.empty(gate.shape, gate.dtype);
    const dUp = device.empty(up.shape, up.dtype);
    swigluBackward(stream, { dOut: dProduct, gate, up, dGate, dUp });
    const dx = this.#gate.backward(x, dGate);
    return this.#up.backward(x, dUp, { dx, accumulate: true });
  }
}
