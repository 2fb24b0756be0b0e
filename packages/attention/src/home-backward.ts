import { attentionBackward, cast, fill, type Tensor } from "@libra/runtime";
import type { Staging } from "./exchange.js";
import type { BackwardInputs, Gradients, PassContext } from "./pass.js";

/** The backward pass of a worker's home tiles, over its home tensors. */
export class HomeBackward {
  /**
   * Float32 sums of dK and dV over the home tiles: the gradients themselves where nothing comes before
   * the home tiles in the order of the sums and nothing is rounded.
   */
  readonly keys: { readonly dk: Tensor; readonly dv: Tensor };
  readonly #dq: Tensor;

  constructor(
    private readonly context: PassContext,
    staging: Staging,
    private readonly inputs: BackwardInputs,
    private readonly delta: Tensor,
    private readonly gradients: Gradients,
  ) {
    const { dtype, keys, plan } = context.prepared;
    const { headDim, valueDim } = plan.heads;
    const wide = dtype === "float32";
    const direct = wide && keys.before.from.length === 0;
    const beside = (to: Tensor, size: number): Tensor =>
      staging.empty(to.size / size, size).reshape(...to.shape);
    this.#dq = wide ? gradients.dq : beside(gradients.dq, headDim);
    this.keys = {
      dk: direct ? gradients.dk : beside(gradients.dk, headDim),
      dv: direct ? gradients.dv : beside(gradients.dv, valueDim),
    };
  }

  /** dQ of the home tiles is then in the gradient, with zeros for the rows and heads of others. */
  run(): void {
    const { context, inputs, delta, gradients, keys } = this;
    const { prepared, scale, streams } = context;
    const { q, k, v, dOut, logSumExp } = inputs;
    const { headDim, valueDim } = prepared.plan.heads;
    const { compute } = streams;
    const sums = { dq: this.#dq, ...keys };
    for (const out of Object.values(sums)) fill(compute, { out, value: 0 });
    if (prepared.home !== undefined) {
      attentionBackward(compute, {
        ...{ q, k, v, dOut, logSumExp, delta, ...sums, segments: prepared.home },
        ...{ scale, headDim, valueDim },
      });
    }
    if (sums.dq !== gradients.dq) cast(compute, { from: sums.dq, to: gradients.dq });
  }
}
