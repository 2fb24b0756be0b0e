import {
  accumulateVectors,
  attentionBackward,
  attentionDelta,
  fill,
  type Tensor,
} from "@libra/runtime";
import { shapesOf } from "./check.js";
import { exchangeHops, type Move, Staging } from "./exchange.js";
import type { ForwardInputs, KeptTiles, PassContext } from "./forward.js";
import { runPipeline } from "./pipeline.js";

export interface BackwardInputs extends ForwardInputs {
  readonly out: Tensor;
  readonly logSumExp: Tensor;
  readonly dOut: Tensor;
  readonly kept: KeptTiles | undefined;
}

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
  const { stagingQuery, stagingKey, partialKey, relayQuery, relayKey } = program.buffers;
  const staging = new Staging(device);
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
  const partial = {
    dk: staging.empty(partialKey, headDim),
    dv: staging.empty(partialKey, valueDim),
  };
  const move = (kind: Move["kind"], from: Tensor, to: Tensor, vectorSize: number): Move => {
    const relayVectors = kind === "query" ? relayQuery : relayKey;
    const relay = program.hops === 1 ? undefined : staging.empty(relayVectors, vectorSize);
    return { kind, from, to, relay, vectorSize };
  };
  const again = [
    move("query", q, staged.q, headDim),
    move("key", k, staged.k, headDim),
    move("key", v, staged.v, valueDim),
  ];
  const dispatched = [
    ...(kept === undefined ? again : []),
    move("query", dOut, staged.dOut, valueDim),
    move("query", logSumExp, staged.logSumExp, 1),
    move("query", delta, staged.delta, 1),
  ];
  const returned = [
    move("query", staged.dq, dq, headDim),
    move("key", staged.dk, partial.dk, headDim),
    move("key", staged.dv, partial.dv, valueDim),
  ];
  runPipeline(streams, program.chunks.length, {
    dispatch: (chunk) =>
      exchangeHops(pool, streams.dispatch, program.chunks[chunk]!.dispatch, dispatched),
    attend: (chunk) => {
      // Here, not before the pipeline, so that the first dispatch does not wait for it.
      if (chunk === 0) {
        for (const out of [staged.dq, staged.dk, staged.dv])
          fill(streams.compute, { out, value: 0 });
      }
      const segments = prepared.segments[chunk]!;
      if (segments.count > 0) {
        attentionBackward(streams.compute, { ...staged, segments, scale, headDim, valueDim });
      }
    },
    return: (chunk) => exchangeHops(pool, streams.return, program.chunks[chunk]!.return, returned),
  });
  for (const [from, to, vectorSize] of [
    [partial.dk, dk, headDim],
    [partial.dv, dv, valueDim],
  ] as const) {
    fill(streams.compute, { out: to, value: 0 });
    accumulateVectors(streams.compute, { from, to, list: program.accumulate, vectorSize });
  }
  staging.free();
}
