import { attentionForward, type Communicator, type Device, type Tensor } from "@libra/runtime";
import { shapesOf } from "./check.js";
import { exchangeHops, type Move, Staging } from "./exchange.js";
import { type PipelineStreams, runPipeline } from "./pipeline.js";
import type { PreparedPlan } from "./prepared-plan.js";

/** What a pass runs on. */
export interface PassContext {
  readonly device: Device;
  readonly pool: Communicator;
  readonly streams: PipelineStreams;
  readonly prepared: PreparedPlan;
  readonly scale: number;
}

/** Q, K and V as a worker's tiles see them, kept from forward to backward by `keepTiles`. */
export interface KeptTiles {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

export interface ForwardInputs {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

export interface ForwardResult {
  readonly out: Tensor;
  readonly logSumExp: Tensor;
  readonly kept: KeptTiles | undefined;
}

/** Enqueues one forward pass; all shapes have been checked. */
export function enqueueForward(
  context: PassContext,
  { q, k, v }: ForwardInputs,
  keepTiles: boolean,
): ForwardResult {
  const { device, pool, streams, prepared, scale } = context;
  const { program, plan } = prepared;
  const { headDim, valueDim } = plan.heads;
  const shapes = shapesOf(prepared.rows, plan.heads);
  const out = device.empty(shapes.out);
  const logSumExp = device.empty(shapes.logSumExp);
  const sizes = { scale, headDim, valueDim };
  if (program === undefined) {
    const segments = prepared.segments[0]!;
    attentionForward(streams.compute, { q, k, v, out, logSumExp, segments, ...sizes });
    return { out, logSumExp, kept: undefined };
  }
  const staging = new Staging(device);
  const { stagingQuery, stagingKey, relayQuery, relayKey } = program.buffers;
  const staged = {
    q: staging.empty(stagingQuery, headDim),
    k: staging.empty(stagingKey, headDim),
    v: staging.empty(stagingKey, valueDim),
    out: staging.empty(stagingQuery, valueDim),
    logSumExp: staging.empty(stagingQuery, 1),
  };
  const move = (kind: Move["kind"], from: Tensor, to: Tensor, vectorSize: number): Move => {
    const relayVectors = kind === "query" ? relayQuery : relayKey;
    const relay = program.hops === 1 ? undefined : staging.empty(relayVectors, vectorSize);
    return { kind, from, to, relay, vectorSize };
  };
  const dispatched = [
    move("query", q, staged.q, headDim),
    move("key", k, staged.k, headDim),
    move("key", v, staged.v, valueDim),
  ];
  const returned = [
    move("query", staged.out, out, valueDim),
    move("query", staged.logSumExp, logSumExp, 1),
  ];
  runPipeline(streams, program.chunks.length, {
    dispatch: (chunk) =>
      exchangeHops(pool, streams.dispatch, program.chunks[chunk]!.dispatch, dispatched),
    attend: (chunk) => {
      const segments = prepared.segments[chunk]!;
      if (segments.count > 0) {
        attentionForward(streams.compute, { ...staged, segments, ...sizes });
      }
    },
    return: (chunk) => exchangeHops(pool, streams.return, program.chunks[chunk]!.return, returned),
  });
  const kept = keepTiles ? { q: staged.q, k: staged.k, v: staged.v } : undefined;
  staging.free(kept === undefined ? [] : [kept.q, kept.k, kept.v]);
  return { out, logSumExp, kept };
}
