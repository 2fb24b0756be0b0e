import { rmsNorm, rmsNormBackward, type Tensor } from "@libra/runtime";
import type { Parameter } from "./parameters.js";
import type { Place } from "./place.js";

/** What the backward pass of a norm needs. */
export interface NormSaved {
  /** Input, any shape whose last length is the weight's. */
  readonly x: Tensor;
  /** 1 / root mean square, one per row. */
  readonly inverseRms: Tensor;
}

/** x / rms(x) · weight over the last dimension; also per head, on [T, heads, D]. */
export class RmsNorm {
  constructor(
    readonly place: Place,
    readonly weight: Parameter,
    readonly epsilon: number,
  ) {}

  /** @returns the normed tensor, in the shape of `x` */
  forward(x: Tensor): { out: Tensor; saved: NormSaved } {
    const { device, stream } = this.place;
    const rows = this.#rows(x);
    const out = device.empty(rows.shape, x.dtype);
    const inverseRms = device.empty([rows.shape[0]!]);
    const weight = this.weight.value;
    rmsNorm(stream, { x: rows, weight, out, inverseRms, eps: this.epsilon });
    return { out: out.reshape(...x.shape), saved: { x, inverseRms } };
  }

  /**
   * Adds to the weight's gradient.
   *
   * @param addTo - shape of x, receives the input's gradient on top of what it holds (a residual)
   * @returns gradient of the input in the shape of x; `addTo` when given
   */
  backward({ x, inverseRms }: NormSaved, dOut: Tensor, addTo?: Tensor): Tensor {
    const dx = addTo ?? this.place.device.empty(x.shape, x.dtype);
    rmsNormBackward(this.place.stream, {
      dOut: this.#rows(dOut),
      x: this.#rows(x),
      weight: this.weight.value,
      inverseRms,
      dx: this.#rows(dx),
      dWeight: this.weight.gradient,
      accumulate: addTo !== undefined,
      accumulateWeight: true,
    });
    return dx;
  }

  #rows(tensor: Tensor): Tensor {
    const width = this.weight.shape[0]!;
    return tensor.reshape(tensor.size / width, width);
  }
}
