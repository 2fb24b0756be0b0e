import type { Tensor } from "@libra/runtime";
import type { Attend, Attended } from "./attend.js";
import { Linear } from "./linear.js";
import { layerName } from "./parameter-shapes.js";
import type { Parameters } from "./parameters.js";
import type { Place } from "./place.js";
import { type NormSaved, RmsNorm } from "./rms-norm.js";
import { Rotary } from "./rotary.js";
import type { ModelSizes } from "./sizes.js";

/** What the backward pass of one self-attention needs. */
export interface SelfAttentionSaved {
  /** Normed input, [T, hidden]. */
  readonly x: Tensor;
  readonly qNorm: NormSaved;
  readonly kNorm: NormSaved;
  readonly attended: Attended;
}

/** Projections, RMSNorm of q and k per head, RoPE, attention, output projection plus residual. */
export class SelfAttention {
  readonly #queries: Linear;
  readonly #keys: Linear;
  readonly #values: Linear;
  readonly #output: Linear;
  readonly #queryNorm: RmsNorm;
  readonly #keyNorm: RmsNorm;
  readonly #rotary: Rotary;
  readonly #sizes: ModelSizes;

  constructor(place: Place, parameters: Parameters, sizes: ModelSizes, layer: number) {
    const parameter = (part: string) => parameters.get(layerName(layer, `self_attn.${part}`));
    this.#queries = new Linear(place, parameter("q_proj"));
    this.#keys = new Linear(place, parameter("k_proj"));
    this.#values = new Linear(place, parameter("v_proj"));
    this.#output = new Linear(place, parameter("o_proj"));
    this.#queryNorm = new RmsNorm(place, parameter("q_norm"), sizes.normEpsilon);
    this.#keyNorm = new RmsNorm(place, parameter("k_norm"), sizes.normEpsilon);
    this.#rotary = new Rotary(place, sizes.ropeTheta);
    this.#sizes = sizes;
  }

  /** @param x - normed, [T, hidden]; @param residual - [T, hidden]; @returns [T, hidden] */
  forward(
    x: Tensor,
    residual: Tensor,
    positions: Tensor,
    attend: Attend,
  ): { out: Tensor; saved: SelfAttentionSaved } {
    const { queryHeads, kvHeads, headDim } = this.#sizes;
    const rows = x.shape[0]!;
    const q = this.#queryNorm.forward(this.#queries.forward(x).reshape(rows, queryHeads, headDim));
    const k = this.#keyNorm.forward(this.#keys.forward(x).reshape(rows, kvHeads, headDim));
    const attended = attend({
      q: this.#rotary.forward(q.out, positions),
      k: this.#rotary.forward(k.out, positions),
      v: this.#values.forward(x).reshape(rows, kvHeads, headDim),
    });
    const out = this.#output.forward(flatRows(attended.out), { residual });
    return { out, saved: { x, qNorm: q.saved, kNorm: k.saved, attended } };
  }

  /** @param dOut - [T, hidden]; @returns gradient of the normed input, [T, hidden] */
  backward(saved: SelfAttentionSaved, positions: Tensor, dOut: Tensor): Tensor {
    const { x, qNorm, kNorm, attended } = saved;
    const dAttended = this.#output.backward(flatRows(attended.out), dOut);
    const { dq, dk, dv } = attended.backward(dAttended.reshape(...attended.out.shape));
    const dQueries = this.#queryNorm.backward(qNorm, this.#rotary.backward(dq, positions));
    const dKeys = this.#keyNorm.backward(kNorm, this.#rotary.backward(dk, positions));
    const dx = this.#queries.backward(x, flatRows(dQueries));
    this.#keys.backward(x, flatRows(dKeys), { dx, accumulate: true });
    return this.#values.backward(x, flatRows(dv), { dx, accumulate: true });
  }
}

/** [T, heads, D] as [T, heads · D]. */
function flatRows(tensor: Tensor): Tensor {
  const [rows, heads, width] = tensor.shape;
  return tensor.reshape(rows!, heads! * width!);
}
