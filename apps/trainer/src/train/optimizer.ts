import { adamW, clipFactor, fill, sumSquares, type Tensor } from "@libra/runtime";
import type { OptimizerConfig } from "../config/schema.js";
import type { Parameters } from "../model/parameters.js";
import type { Place } from "../model/place.js";
import { learningRateAt } from "./learning-rate.js";

/**
 * AdamW over the flat parameters, after clipping to a global norm. Weight decay acts on matrices, not
 * on norm weights. Moments and what is updated are float32. Every rank holds all of it and computes the
 * same bits.
 */
export class Optimizer {
  /** First and second moments, laid out as the parameters. */
  readonly first: Tensor;
  readonly second: Tensor;
  readonly #norm: Tensor;
  readonly #place: Place;
  readonly #parameters: Parameters;
  readonly #config: OptimizerConfig;

  constructor(place: Place, parameters: Parameters, config: OptimizerConfig) {
    const { device } = place;
    this.first = device.zeros([parameters.values.size]);
    this.second = device.zeros([parameters.values.size]);
    this.#norm = device.zeros([1]);
    this.#place = place;
    this.#parameters = parameters;
    this.#config = config;
  }

  /** Sets all gradients to 0. */
  clear(): void {
    fill(this.#place.stream, { out: this.#parameters.gradients, value: 0 });
  }

  /**
   * Enqueues the update.
   *
   * @param step - optimizer steps done before, 0 for the first
   * @returns float32 [1]: the norm of all gradients before clipping, each parameter counted once
   */
  update(step: number): Tensor {
    const { device, stream } = this.#place;
    const { gradients } = this.#parameters;
    const squares = device.zeros([1], "float64");
    const factor = device.empty([1]);
    sumSquares(stream, { x: gradients, out: squares });
    const maxNorm = this.#config.clipNorm;
    clipFactor(stream, { sumSquares: squares, maxNorm, out: factor, norm: this.#norm });
    const border = this.#parameters.decayed;
    this.#updateRange(0, border, this.#config.weightDecay, step, factor);
    this.#updateRange(border, gradients.size, 0, step, factor);
    this.#parameters.refresh(stream);
    return this.#norm;
  }

  #updateRange(
    start: number,
    end: number,
    weightDecay: number,
    step: number,
    gradientFactor: Tensor,
  ): void {
    if (start === end) return;
    const { beta1, beta2, epsilon } = this.#config;
    adamW(this.#place.stream, {
      parameter: this.#parameters.values.slice(start, end),
      gradient: this.#parameters.gradients.slice(start, end),
      m: this.first.slice(start, end),
      v: this.second.slice(start, end),
      learningRate: learningRateAt(this.#config, step),
      beta1,
      beta2,
      eps: epsilon,
      weightDecay,
      step: step + 1,
      gradientFactor,
    });
  }
}
