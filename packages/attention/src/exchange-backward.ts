import { attentionBackward, cast, fill, type Tensor } from "@libra/runtime";
import { PassExchange, Staging } from "./exchange.js";
import { HomeBackward } from "./home-backward.js";
import { sumFor, sumKeys } from "./key-sums.js";
import { addPartials } from "./merge.js";
import type { BackwardInputs, Gradients, PassContext } from "./pass.js";
import { runPipeline } from "./pipeline.js";
import { leavingKeys } from "./vector-ranges.js";
import { castRanges } from "./wide-tiles.js";

/** The backward pass of a plan that sends tiles; fills the gradients. */
export function exchangeBackward(
  context: PassContext,
  inputs: BackwardInputs,
  delta: Tensor,
  gradients: Gradients,
): void {
  const { device, pool, streams, prepared, scale } = context;
  const { q, k, v, dOut, logSumExp, kept } = inputs;
  const { dq, dk, dv } = gradients;
  const { plan, dtype, keys, rounds } = prepared;
  const program = prepared.program!;
  const { headDim, valueDim } = plan.heads;
  const { stagingQuery, stagingKey, partialKey, partialQuery } = program.buffers;
  const { compute } = streams;
  const staging = new Staging(device);
  const exchange = new PassExchange(pool, program, staging);
  const own = prepared.home && new HomeBackward(context, staging, inputs, delta, gradients);
  const tiles = {
    q: kept?.q ?? staging.empty(stagingQuery, headDim, dtype),
    k: kept?.k ?? staging.empty(stagingKey, headDim, dtype),
    v: kept?.v ?? staging.empty(stagingKey, valueDim, dtype),
    dOut: staging.empty(stagingQuery, valueDim, dtype),
    logSumExp: staging.empty(stagingQuery, 1),
    delta: staging.empty(stagingQuery, 1),
  };
  const sums = {
    dq: staging.empty(stagingQuery, headDim),
    dk: staging.empty(stagingKey, headDim),
    dv: staging.empty(stagingKey, valueDim),
  };
  // What travels: the sums, or their rounded copies where nothing more is added to them.
  const narrowQuery = dtype === "bfloat16" && !plan.keyRanges;
  const narrowKeys = keys.dtype === "bfloat16";
  const sent = {
    dq: narrowQuery ? staging.empty(stagingQuery, headDim, dtype) : sums.dq,
    dk: narrowKeys ? staging.empty(stagingKey, headDim, dtype) : sums.dk,
    dv: narrowKeys ? staging.empty(stagingKey, valueDim, dtype) : sums.dv,
  };
  const partial = {
    dq: plan.keyRanges ? staging.empty(partialQuery, headDim) : dq,
    dk: staging.empty(partialKey, headDim, keys.dtype),
    dv: staging.empty(partialKey, valueDim, keys.dtype),
  };
  const again =
    kept === undefined
      ? [
          exchange.dispatched("query", q, tiles.q, headDim),
          exchange.dispatched("key", k, tiles.k, headDim),
          exchange.dispatched("key", v, tiles.v, valueDim),
        ]
      : [];
  const dispatched = [
    ...again,
    exchange.dispatched("query", dOut, tiles.dOut, valueDim),
    exchange.dispatched("query", logSumExp, tiles.logSumExp, 1),
    exchange.dispatched("query", delta, tiles.delta, 1),
  ];
  const returned = [
    exchange.returned("query", sent.dq, partial.dq, headDim),
    exchange.returned("key", sent.dk, partial.dk, headDim),
    exchange.returned("key", sent.dv, partial.dv, valueDim),
  ];
  const zero = (out: Tensor): void => fill(compute, { out, value: 0 });
  const round = (chunk: number): void => {
    const { chunkQueryOffsets } = program;
    const queries = [chunkQueryOffsets[chunk]!, chunkQueryOffsets[chunk + 1]!] as const;
    if (narrowQuery) castRanges(compute, sums.dq, sent.dq, [queries]);
    if (!narrowKeys) return;
    const leaving = leavingKeys(program, chunk);
    castRanges(compute, sums.dk, sent.dk, leaving);
    castRanges(compute, sums.dv, sent.dv, leaving);
  };
  runPipeline(streams, program.chunks.length, {
    home: () => own?.run(),
    dispatch: (chunk) => exchange.dispatch(streams.dispatch, chunk, dispatched),
    attend: (chunk) => {
      // Here, not before the pipeline, so that the first dispatch does not wait for it.
      if (chunk === 0) for (const tensor of Object.values(sums)) zero(tensor);
      const segments = prepared.segments[chunk]!;
      if (segments.count > 0) {
        attentionBackward(compute, { ...tiles, ...sums, segments, scale, headDim, valueDim });
      }
      round(chunk);
    },
    return: (chunk) => exchange.return(streams.return, chunk, returned),
  });
  if (plan.keyRanges) {
    const sum = sumFor(staging, dq, headDim);
    zero(sum);
    addPartials(compute, staging, rounds, partial.dq, sum, headDim);
    if (sum !== dq) cast(compute, { from: sum, to: dq });
  }
  const [ofKeys, ofValues] = [
    { to: dk, partial: partial.dk, own: own?.keys.dk, vectorSize: headDim },
    { to: dv, partial: partial.dv, own: own?.keys.dv, vectorSize: valueDim },
  ];
  for (const parts of [ofKeys, ofValues]) sumKeys(compute, staging, keys, parts);
  staging.free();
}
