import { attentionDelta, cast, type Tensor } from "@libra/runtime";
import { shapesOf } from "./check.js";
import { Staging } from "./exchange.js";
import { exchangeBackward } from "./exchange-backward.js";
import { HomeBackward } from "./home-backward.js";
import type { BackwardInputs, Gradients, PassContext } from "./pass.js";

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
  context: PassContext,
  inputs: BackwardInputs,
  delta: Tensor,
  gradients: Gradients,
): void {
  const staging = new Staging(context.device);
  const own = new HomeBackward(context, staging, inputs, delta, gradients);
  own.run();
  for (const name of ["dk", "dv"] as const) {
    const [from, to] = [own.keys[name], gradients[name]];
    if (from !== to) cast(context.streams.compute, { from, to });
  }
  staging.free();
}
