import { attentionForward, cast, fill } from "@libra/runtime";
import { shapesOf } from "./check.js";
import { PassExchange, Staging } from "./exchange.js";
import { mergeOutputs } from "./merge.js";
import type { ForwardInputs, ForwardResult, PassContext } from "./pass.js";
import { runPipeline } from "./pipeline.js";
import { WideTiles } from "./wide-tiles.js";

/** Enqueues one forward pass; all shapes have been checked. */
export function enqueueForward(
  context: PassContext,
  { q, k, v }: ForwardInputs,
  keepTiles: boolean,
): ForwardResult {
  const { device, pool, streams, prepared, scale } = context;
  const { program, plan, dtype } = prepared;
  const { headDim, valueDim } = plan.heads;
  const shapes = shapesOf(prepared.rows, plan.heads);
  const out = device.empty(shapes.out, dtype);
  const logSumExp = device.empty(shapes.logSumExp);
  const sizes = { scale, headDim, valueDim };
  const home = (): void => {
    const segments = prepared.home;
    if (segments === undefined) return;
    attentionForward(streams.compute, { q, k, v, out, logSumExp, segments, ...sizes });
  };
  if (program === undefined) {
    home();
    return { out, logSumExp, kept: undefined };
  }
  const staging = new Staging(device);
  const exchange = new PassExchange(pool, program, staging);
  const { stagingQuery, stagingKey, partialQuery } = program.buffers;
  const tiles = {
    q: staging.empty(stagingQuery, headDim, dtype),
    k: staging.empty(stagingKey, headDim, dtype),
    v: staging.empty(stagingKey, valueDim, dtype),
  };
  // Outputs over a part of the keys are float32, come home side by side and are merged there.
  const wide =
    plan.keyRanges && dtype === "bfloat16"
      ? new WideTiles(staging, program, tiles, plan.heads)
      : undefined;
  const partial = plan.keyRanges ? "float32" : dtype;
  const staged = {
    ...(wide?.tiles ?? tiles),
    out: staging.empty(stagingQuery, valueDim, partial),
    logSumExp: staging.empty(stagingQuery, 1),
  };
  const owner = plan.keyRanges
    ? { out: staging.empty(partialQuery, valueDim), logSumExp: staging.empty(partialQuery, 1) }
    : { out, logSumExp };
  const dispatched = [
    exchange.dispatched("query", q, tiles.q, headDim),
    exchange.dispatched("key", k, tiles.k, headDim),
    exchange.dispatched("key", v, tiles.v, valueDim),
  ];
  const returned = [
    exchange.returned("query", staged.out, owner.out, valueDim),
    exchange.returned("query", staged.logSumExp, owner.logSumExp, 1),
  ];
  runPipeline(streams, program.chunks.length, {
    home,
    dispatch: (chunk) => exchange.dispatch(streams.dispatch, chunk, dispatched),
    attend: (chunk) => {
      wide?.widen(streams.compute, chunk);
      const segments = prepared.segments[chunk]!;
      if (segments.count > 0) {
        attentionForward(streams.compute, { ...staged, segments, ...sizes });
      }
    },
    return: (chunk) => exchange.return(streams.return, chunk, returned),
  });
  if (plan.keyRanges) {
    const narrow = dtype === "bfloat16";
    const merged = {
      out: narrow ? staging.empty(program.buffers.homeQuery, valueDim) : out,
      logSumExp,
    };
    fill(streams.compute, { out: merged.out, value: 0 });
    fill(streams.compute, { out: logSumExp, value: -Infinity });
    mergeOutputs(streams.compute, staging, prepared.rounds, owner, merged, valueDim);
    if (narrow) cast(streams.compute, { from: merged.out.reshape(...shapes.out), to: out });
  }
  const kept = keepTiles ? tiles : undefined;
  staging.free(kept === undefined ? [] : [kept.q, kept.k, kept.v]);
  return { out, logSumExp, kept };
}
