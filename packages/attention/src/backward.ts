import { attentionBackward, attentionDelta, cast, fill, type Tensor } from "@libra/runtime";
import { shapesOf } from "./check.js";
import { exchangeBackward } from "./exchange-backward.js";
import type { ForwardInputs, KeptTiles, PassContext } from "./forward.js";

export interface BackwardInputs extends ForwardInputs {
  readonly out: Tensor;
  readonly logSumExp: Tensor;
  readonly dOut: Tensor;
  readonly kept: KeptTiles | undefined;
}

/** Gradients of this rank's rows, laid out as the inputs. */
export interface Gradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}

/** Enqueues one backward pass; all shapes have been checked. */
export function enqueueBackward(context: PassContext, inputs: BackwardInputs): Gradients {
  const { device, streams, prepared } = context;
  const { plan, dtype } = prepared;
  const { out, dOut } = inputs;
  const shapes = shapesOf(prepared.rows, plan.heads);
  const gradients = {
    dq: device.empty(shapes.q, dtype),
    dk: device.empty(shapes.k, dtype),
    dv: device.empty(shapes.v, dtype),
  };
  const delta = device.empty(shapes.logSumExp);
  attentionDelta(streams.compute, { out, dOut, delta });
  if (prepared.program === undefined) homeBackward(context, inputs, delta, gradients);
  else exchangeBackward(context, inputs, delta, gradients);
  delta.free();
  return gradients;
}

function homeBackward(
  { device, streams, prepared, scale }: PassContext,
  { q, k, v, dOut, logSumExp }: BackwardInputs,
  delta: Tensor,
  gradients: Gradients,
): void {
  const { headDim, valueDim } = prepared.plan.heads;
  const { compute } = streams;
  const narrow = prepared.dtype === "bfloat16";
  // The kernel adds in float32.
  const sum = (to: Tensor): Tensor => {
    const tensor = narrow ? device.empty(to.shape) : to;
    fill(compute, { out: tensor, value: 0 });
    return tensor;
  };
  const sums = { dq: sum(gradients.dq), dk: sum(gradients.dk), dv: sum(gradients.dv) };
  const segments = prepared.segments[0]!;
  attentionBackward(compute, {
    ...{ q, k, v, dOut, logSumExp, delta, ...sums },
    ...{ segments, scale, headDim, valueDim },
  });
  if (!narrow) return;
  for (const name of ["dq", "dk", "dv"] as const) {
    cast(compute, { from: sums[name], to: gradients[name] });
    sums[name].free();
  }
}
