import type { Tensor } from "@libra/runtime";
import type { Attend } from "./attend.js";
import { DecoderLayer, type DecoderLayerSaved } from "./decoder-layer.js";
import { Embedding } from "./embedding.js";
import { freeSaved } from "./free-saved.js";
import { Linear } from "./linear.js";
import { Pace } from "./pace.js";
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
  readonly inputs: ModelInputs;
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
  readonly #place: Place;
  readonly #embedding: Embedding;
  readonly #layers: readonly DecoderLayer[];
  readonly #finalNorm: RmsNorm;
  readonly #head: Linear;

  constructor(place: Place, parameters: Parameters, sizes: ModelSizes) {
    this.#place = place;
    this.#embedding = new Embedding(place, parameters.get(embeddingName));
    this.#layers = Array.from(
      { length: sizes.layers },
      (_, layer) => new DecoderLayer(place, parameters, sizes, layer),
    );
    this.#finalNorm = new RmsNorm(place, parameters.get(finalNormName), sizes.normEpsilon);
    const head = sizes.tieWordEmbeddings ? embeddingName : headName;
    this.#head = new Linear(place, parameters.get(head));
  }

  /** @returns logits [T, vocabulary]; the last layers' work may still be queued */
  async forward(
    inputs: ModelInputs,
    attend: Attend,
  ): Promise<{ logits: Tensor; saved: ModelSaved }> {
    const pace = new Pace(this.#place.stream);
    const layers: DecoderLayerSaved[] = [];
    let x = this.#embedding.forward(inputs.ids);
    for (const layer of this.#layers) {
      const { out, saved } = layer.forward(x, inputs.positions, attend);
      layers.push(saved);
      x = out;
      await pace.next();
    }
    const normed = this.#finalNorm.forward(x);
    const logits = this.#head.forward(normed.out);
    return { logits, saved: { inputs, layers, finalNorm: normed.saved, last: normed.out } };
  }

  /**
   * Adds to every parameter's gradient. `dLogits` and what was saved are freed on the way.
   *
   * @param dLogits - [T, vocabulary]
   * @returns when all but the last layers' work has run
   */
  async backward(saved: ModelSaved, dLogits: Tensor): Promise<void> {
    const { device, stream } = this.#place;
    const pace = new Pace(stream);
    const dx = device.scope(() =>
      this.#finalNorm.backward(saved.finalNorm, this.#head.backward(saved.last, dLogits)),
    );
    dLogits.free();
    for (const [index, layer] of [...this.#layers.entries()].reverse()) {
      const layerSaved = saved.layers[index]!;
      device.scope(() => {
        layer.backward(layerSaved, saved.inputs.positions, dx);
      });
      freeSaved(layerSaved);
      await pace.next();
    }
    this.#embedding.backward(saved.inputs.ids, dx);
    freeSaved([saved, dx]);
  }
}
