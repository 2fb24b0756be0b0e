import { dtypeCode } from "../dtype.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isReal, OperatorCheck } from "./check.js";
import { type AttentionSegments, segmentHandles } from "./segments.js";

interface Sizes {
  segments: AttentionSegments;
  /** Multiplies q · k, usually 1 / √headDim. */
  scale: number;
  /** Elements of a vector of q and k, 1 … 256. */
  headDim: number;
  /** Elements of a vector of v and out, 1 … 256. */
  valueDim: number;
}

const largestDim = 256;

function sizes(check: OperatorCheck, { scale, headDim, valueDim }: Sizes) {
  const fits = (value: number): boolean =>
    Number.isInteger(value) && value >= 1 && value <= largestDim;
  const what = `an integer from 1 to ${largestDim}`;
  return [
    check.number("scale", scale, isReal, "a finite number"),
    check.number("headDim", headDim, fits, what),
    check.number("valueDim", valueDim, fits, what),
  ] as const;
}

/**
 * Attention of each segment's rows over its keys. A row that sees no key gets 0 and −∞.
 * Tensors are lists of vectors of any shape, addressed by the segments. q, k, v and out have one
 * type, float32 or bfloat16; sums are float32, and so is logSumExp.
 *
 * @param q - vectors of headDim, query side
 * @param k - vectors of headDim, key side
 * @param v - vectors of valueDim, key side
 * @param out - vectors of valueDim, query side; rows of no segment are not written
 * @param logSumExp - one float a query vector, natural logarithm
 * @throws ARGUMENT for a segment that reaches outside a tensor
 */
export function attentionForward(
  stream: Stream,
  args: Sizes & { q: Tensor; k: Tensor; v: Tensor; out: Tensor; logSumExp: Tensor },
): void {
  const check = new OperatorCheck("attentionForward", stream);
  const [scale, headDim, valueDim] = sizes(check, args);
  const lead = check.lead("q", args.q);
  const q = check.vectors("q", args.q, headDim, lead);
  const k = check.vectors("k", args.k, headDim, lead);
  const v = check.vectors("v", args.v, valueDim, lead);
  const out = check.vectors("out", args.out, valueDim, lead);
  const logSumExp = check.vectors("logSumExp", args.logSumExp, 1, "float32");
  const { out: o, logSumExp: l, ...inputs } = args;
  const { q: queries, k: keys, v: values } = inputs;
  check.apart("out", o, { q: queries, k: keys, v: values, logSumExp: l });
  check.apart("logSumExp", l, { q: queries, k: keys, v: values });
  native().attentionForward(
    check.stream,
    ...([...q, ...k, ...v, ...out, ...logSumExp] as const),
    ...([segmentHandles.handle(args.segments), scale, headDim, valueDim] as const),
    dtypeCode[lead.dtype],
  );
}

/**
 * Gradients of {@link attentionForward}, added to `dq`, `dk` and `dv`, which are float32: fill them
 * with 0 first. q, k, v and dOut have one type.
 *
 * @param logSumExp - from the forward pass; with key ranges, the merged one
 * @param delta - from {@link attentionDelta}, one float a query vector
 */
export function attentionBackward(
  stream: Stream,
  args: Sizes & {
    q: Tensor;
    k: Tensor;
    v: Tensor;
    dOut: Tensor;
    logSumExp: Tensor;
    delta: Tensor;
    dq: Tensor;
    dk: Tensor;
    dv: Tensor;
  },
): void {
  const check = new OperatorCheck("attentionBackward", stream);
  const [scale, headDim, valueDim] = sizes(check, args);
  const lead = check.lead("q", args.q);
  const q = check.vectors("q", args.q, headDim, lead);
  const k = check.vectors("k", args.k, headDim, lead);
  const v = check.vectors("v", args.v, valueDim, lead);
  const dOut = check.vectors("dOut", args.dOut, valueDim, lead);
  const logSumExp = check.vectors("logSumExp", args.logSumExp, 1, "float32");
  const delta = check.vectors("delta", args.delta, 1, "float32");
  const dq = check.vectors("dq", args.dq, headDim, "float32");
  const dk = check.vectors("dk", args.dk, headDim, "float32");
  const dv = check.vectors("dv", args.dv, valueDim, "float32");
  const inputs = { q: args.q, k: args.k, v: args.v, dOut: args.dOut };
  check.apart("dq", args.dq, { ...inputs, dk: args.dk, dv: args.dv });
  check.apart("dk", args.dk, { ...inputs, dv: args.dv });
  check.apart("dv", args.dv, inputs);
  native().attentionBackward(
    check.stream,
    ...([...q, ...k, ...v, ...dOut, ...logSumExp, ...delta, ...dq, ...dk, ...dv] as const),
    ...([segmentHandles.handle(args.segments), scale, headDim, valueDim] as const),
    dtypeCode[lead.dtype],
  );
}

/**
 * `delta = Σ out · dOut` by vector: what the softmax's gradient subtracts.
 *
 * @param out - vectors of valueDim, the last dimension
 * @param dOut - as `out`
 * @param delta - one float a vector
 */
export function attentionDelta(
  stream: Stream,
  args: { out: Tensor; dOut: Tensor; delta: Tensor },
): void {
  const check = new OperatorCheck("attentionDelta", stream);
  const lead = check.lead("out", args.out);
  const out = check.tensor("out", args.out, lead, ["...R", "D"]);
  const dOut = check.like("dOut", args.dOut, args.out, lead);
  const delta = check.tensor("delta", args.delta, "float32", ["...R"]);
  native().attentionDelta(
    check.stream,
    ...([...out, ...dOut, ...delta] as const),
    ...([check.extent("R"), check.extent("D"), dtypeCode[lead.dtype]] as const),
  );
}

/**
 * Merges a partial result over other keys into a running one by log-sum-exp, in float32. A partial
 * without keys (0, −∞) changes nothing.
 *
 * @param partial - [R, D]
 * @param partialLogSumExp - [R]
 * @param out - [R, D], changed
 * @param logSumExp - [R], changed
 */
export function mergePartials(
  stream: Stream,
  args: { partial: Tensor; partialLogSumExp: Tensor; out: Tensor; logSumExp: Tensor },
): void {
  const check = new OperatorCheck("mergePartials", stream);
  const partial = check.tensor("partial", args.partial, "float32", ["...R", "D"]);
  const sums = check.tensor("partialLogSumExp", args.partialLogSumExp, "float32", ["...R"]);
  const out = check.like("out", args.out, args.partial, "float32");
  const logSumExp = check.tensor("logSumExp", args.logSumExp, "float32", ["...R"]);
  check.apart("out", args.out, { partial: args.partial });
  native().mergePartials(
    check.stream,
    ...([...partial, ...sums, ...out, ...logSumExp] as const),
    ...([check.extent("R"), check.extent("D")] as const),
  );
}
