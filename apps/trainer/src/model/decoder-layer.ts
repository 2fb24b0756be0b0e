import type { Tensor } from "@libra/runtime";
import type { Attend } from "./attend.js";
import { FeedForward, type FeedForwardSaved } from "./feed-forward.js";
import { layerName } from "./parameter-shapes.js";
import type { Parameters } from "./parameters.js";
import type { Place } from "./place.js";
import { type NormSaved, RmsNorm } from "./rms-norm.js";
import { SelfAttention, type SelfAttentionSaved } from "./self-attention.js";
import type { ModelSizes } from "./sizes.js";

/** What the backward pass of one layer needs. */
export interface DecoderLayerSaved {
  readonly inputNorm: NormSaved;
  readonly attention: SelfAttentionSaved;
  readonly middleNorm: NormSaved;
  readonly feedForward: FeedForwardSaved;
}

/** x + attention(norm(x)), then the same with the feed-forward layer. */
export class DecoderLayer {
  readonly #inputNorm: RmsNorm;
  readonly #attention: SelfAttention;
  readonly #middleNorm: RmsNorm;
  readonly #feedForward: FeedForward;

  constructor(place: Place, parameters: Parameters, sizes: ModelSizes, layer: number) {
    const norm = (part: string) =>
      new RmsNorm(place, parameters.get(layerName(layer, part)), sizes.normEpsilon);
    this.#inputNorm = norm("input_layernorm");
    this.#attention = new SelfAttention(place, parameters, sizes, layer);
    this.#middleNorm = norm("post_attention_layernorm");
    this.#feedForward = new FeedForward(place, parameters, layer);
  }

  /** @param x - [T, hidden]; @param positions - [T] int32 */
  forward(x: Tensor, positions: Tensor, attend: Attend): { out: Tensor; saved: DecoderLayerSaved } {
    const input = this.#inputNorm.forward(x);
    const attention = this.#attention.forward(input.out, x, positions, attend);
    const middle = this.#middleNorm.forward(attention.out);
    const feedForward = this.#feedForward.forward(middle.out, attention.out);
    const saved = {
      inputNorm: input.saved,
      attention: attention.saved,
      middleNorm: middle.saved,
      feedForward: feedForward.saved,
    };
    return { out: feedForward.out, saved };
  }

  /** @param dOut - [T, hidden], turned into the gradient of the input; @returns it */
  backward(saved: DecoderLayerSaved, positions: Tensor, dOut: Tensor): Tensor {
    // A residual's gradient is the output's plus the branch's: the norms add theirs to it in place.
    const dMiddle = this.#feedForward.backward(saved.feedForward, dOut);
    this.#middleNorm.backward(saved.middleNorm, dMiddle, dOut);
    const dInput = this.#attention.backward(saved.attention, positions, dOut);
    return this.#inputNorm.backward(saved.inputNorm, dInput, dOut);
  }
}
