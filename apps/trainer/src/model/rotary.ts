import { rope, type Tensor } from "@libra/runtime";
import type { Place } from "./place.js";

/** Rotary position embedding, Hugging Face's halves; positions count from each document's start. */
export class Rotary {
  constructor(
    readonly place: Place,
    readonly theta: number,
  ) {}

  /** @param x - [T, heads, D], turned in place; @param positions - [T] int32 */
  forward(x: Tensor, positions: Tensor): Tensor {
    rope(this.place.stream, { x, positions, theta: this.theta, out: x });
    return x;
  }

  /** @param dOut - [T, heads, D], turned back in place */
  backward(dOut: Tensor, positions: Tensor): Tensor {
    rope(this.place.stream, {
      x: dOut,
      positions,
      theta: this.theta,
      out: dOut,
      inverse: true,
    });
    return dOut;
  }
}
