import type { Tensor } from "@libra/runtime";
import type { Attend } from "./attend.js";
import { DecoderLayer, type DecoderLayerSaved } from "./decoder-layer.js";
import { Embedding } from "./embedding.js";
import { Linear } from "./linear.js";
import { embeddingName, finalNormName, headName } from "./parameter-shapes.js";
import type { Parameters } from "./parameters.js";
import type { Place } from "./place.js";
import { type NormSaved, RmsNorm } from "./rms-norm.js";
import type { ModelSizes } from "./sizes.js";

/** The rows a model reads, T of them. */
export interface ModelInputs {
  /** [T] int32 */
  readonly ids: Tensor;
  /** [T] int32, from each document's start */
  readonly positions: Tensor;
}

/** What the backward pass of the model needs. */
export interface ModelSaved {
  readonly ids: Tensor;
  readonly layers: readonly DecoderLayerSaved[];
  readonly finalNorm: NormSaved;
  /** Normed output of the last layer, [T, hidden]. */
  readonly last: Tensor;
}

/**
 * Qwen3, dense. It knows rows, not ranks: attention comes as a function. A tied head is the embedding's
 * parameter, so both add to one gradient.
 */
export class Qwen3 {
  readonly #embedding: Embedding;
  readonly #layers: readonly DecoderLayer[];
  readonly #finalNorm: RmsNorm;
  readonly #head: Linear;

  constructor(place: Place, parameters: Parameters, sizes: ModelSizes) {
    this.#embedding = new Embedding(place, parameters.get(embeddingName));
    this.#layers = Array.from(
      { length: sizes.layers },
      (_, layer) => new DecoderLayer(place, parameters, sizes, layer),
    );
    this.#finalNorm = new RmsNorm(place, parameters.get(finalNormName), sizes.normEpsilon);
    const head = sizes.tieWordEmbeddings ? embeddingName : headName;
    this.#head = new Linear(place, parameters.get(head));
  }

  /** @returns logits [T, vocabulary] */
  forward({ ids, positions }: ModelInputs, attend: Attend): { logits: Tensor; saved: ModelSaved } {
    const layers: DecoderLayerSaved[] = [];
    let x = this.#embedding.forward(ids);
    for (const layer of this.#layers) {
      const { out, saved } = layer.forward(x, positions, attend);
      layers.push(saved);
      x = out;
    }
    const normed = this.#finalNorm.forward(x);
    const logits = this.#head.forward(normed.out);
    return { logits, saved: { ids, layers, finalNorm: normed.saved, last: normed.out } };
  }

  /** Adds to every parameter's gradient; @param dLogits - [T, vocabulary] */
  backward(saved: ModelSaved, dLogits: Tensor): void {
    const dLast = this.#head.backward(saved.last, dLogits);
    let dx = this.#finalNorm.backward(saved.finalNorm, dLast);
    for (const [index, layer] of [...this.#layers.entries()].reverse()) {
      dx = layer.backward(saved.layers[index]!, dx);
    }
    this.#embedding.backward(saved.ids, dx);
  }
}
