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
}

/** What a forward pass gives. */
export interface ModelOutputs {
  /** Normed output of the last layer, [T, hidden]: what the head reads. */
  readonly last: Tensor;
  readonly saved: ModelSaved;
}

/**
 * Qwen3, dense. It knows rows, not ranks: attention comes as a function. A tied head is the embedding's
 * parameter, so both add to one gradient.
 */
export class Qwen3 {
  /** Its weight is [vocabulary, hidden]. */
  readonly head: Linear;
  readonly #place: Place;
  readonly #embedding: Embedding;
  readonly #layers: readonly DecoderLayer[];
  readonly #finalNorm: RmsNorm;

  constructor(place: Place, parameters: Parameters, sizes: ModelSizes) {
    this.#place = place;
    this.#embedding = new Embedding(place, parameters.get(embeddingName));
    this.#layers = Array.from(
      { length: sizes.layers },
      (_, layer) => new DecoderLayer(place, parameters, sizes, layer),
    );
    this.#finalNorm = new RmsNorm(place, parameters.get(finalNormName), sizes.normEpsilon);
    const head = sizes.tieWordEmbeddings ? embeddingName : headName;
    this.head = new Linear(place, parameters.get(head));
  }

  /** Everything but the head; the last layers' work may still be queued when this resolves. */
  async forward(inputs: ModelInputs, attend: Attend): Promise<ModelOutputs> {
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
    return { last: normed.out, saved: { inputs, layers, finalNorm: normed.saved } };
  }

  /**
   * Adds to the gradient of every parameter but the head's. `dLast` and what was saved are freed on the
   * way.
   *
   * @param dLast - gradient of the forward pass's `last`, [T, hidden]
   * @returns when all but the last layers' work has run
   */
  async backward(saved: ModelSaved, dLast: Tensor): Promise<void> {
    const { device, stream } = this.#place;
    const pace = new Pace(stream);
    const dx = this.#finalNorm.backward(saved.finalNorm, dLast);
    dLast.free();
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
