import {
  accumulateVectors,
  attentionBackward,
  attentionDelta,
  fill,
  type Tensor,
} from "@libra/runtime";
import { shapesOf } from "./check.js";
import { PassExchange, Staging } from "./exchange.js";
import type { ForwardInputs, KeptTiles, PassContext } from "./forward.js";
import { addPartials } from "./merge.js";
import { runPipeline } from "./pipeline.js";

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
  const { device, streams, prepared, scale } = context;
  const { program, plan } = prepared;
  const { headDim, valueDim } = plan.heads;
  const { out, dOut, logSumExp } = inputs;
  const shapes = shapesOf(prepared.rows, plan.heads);
  const gradients = {
    dq: device.empty(shapes.q),
    dk: device.empty(shapes.k),
    dv: device.empty(shapes.v),
  };
  const delta = device.empty(shapes.logSumExp);
  attentionDelta(streams.compute, { out, dOut, delta });
  if (program === undefined) {
    for (const tensor of Object.values(gradients)) {
      fill(streams.compute, { out: tensor, value: 0 });
    }
    attentionBackward(streams.compute, {
      ...{ q: inputs.q, k: inputs.k, v: inputs.v, dOut, logSumExp, delta, ...gradients },
      ...{ segments: prepared.segments[0]!, scale, headDim, valueDim },
    });
  } else {
    exchangeBackward(context, inputs, delta, gradients);
  }
  delta.free();
  return gradients;
}

function exchangeBackward(
  { device, pool, streams, prepared, scale }: PassContext,
  { q, k, v, dOut, logSumExp, kept }: BackwardInputs,
  delta: Tensor,
  { dq, dk, dv }: Gradients,
): void {
  const program = prepared.program!;
  const { headDim, valueDim } = prepared.plan.heads;
  const { stagingQuery, stagingKey, partialKey, partialQuery } = program.buffers;
  const staging = new Staging(device);
  const exchange = new PassExchange(pool, program, staging);
  const staged = {
    q: kept?.q ?? staging.empty(stagingQuery, headDim),
    k: kept?.k ?? staging.empty(stagingKey, headDim),
    v: kept?.v ?? staging.empty(stagingKey, valueDim),
    dOut: staging.empty(stagingQuery, valueDim),
    logSumExp: staging.empty(stagingQuery, 1),
    delta: staging.empty(stagingQuery, 1),
    dq: staging.empty(stagingQuery, headDim),
    dk: staging.empty(stagingKey, headDim),
    dv: staging.empty(stagingKey, valueDim),
  };
  const { keyRanges } = prepared.plan;
  const partial = {
    dq: keyRanges ? staging.empty(partialQuery, headDim) : dq,
    dk: staging.empty(partialKey, headDim),
    dv: staging.empty(partialKey, valueDim),
  };
  const again =
    kept === undefined
      ? [
          exchange.dispatched("query", q, staged.q, headDim),
          exchange.dispatched("key", k, staged.k, headDim),
          exchange.dispatched("key", v, staged.v, valueDim),
        ]
      : [];
  const dispatched = [
    ...again,
    exchange.dispatched("query", dOut, staged.dOut, valueDim),
    exchange.dispatched("query", logSumExp, staged.logSumExp, 1),
    exchange.dispatched("query", delta, staged.delta, 1),
  ];
  const returned = [
    exchange.returned("query", staged.dq, partial.dq, headDim),
    exchange.returned("key", staged.dk, partial.dk, headDim),
    exchange.returned("key", staged.dv, partial.dv, valueDim),
  ];
  const zero = (out: Tensor): void => fill(streams.compute, { out, value: 0 });
  runPipeline(streams, program.chunks.length, {
    dispatch: (chunk) => exchange.dispatch(streams.dispatch, chunk, dispatched),
    attend: (chunk) => {
      // Here, not before the pipeline, so that the first dispatch does not wait for it.
      if (chunk === 0) for (const tensor of [staged.dq, staged.dk, staged.dv]) zero(tensor);
      const segments = prepared.segments[chunk]!;
      if (segments.count > 0) {
        attentionBackward(streams.compute, { ...staged, segments, scale, headDim, valueDim });
      }
    },
    return: (chunk) => exchange.return(streams.return, chunk, returned),
  });
  if (keyRanges) {
    zero(dq);
    addPartials(streams.compute, staging, prepared.rounds, partial.dq, dq, headDim);
  }
  for (const [from, to, vectorSize] of [
    [partial.dk, dk, headDim],
    [partial.dv, dv, valueDim],
  ] as const) {
    zero(to);
    accumulateVectors(streams.compute, { from, to, list: program.accumulate, vectorSize });
  }
  staging.free();
}
