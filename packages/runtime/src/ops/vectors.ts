import { requireColumn } from "../communicator.js";
import { dtypeCode } from "../dtype.js";
import { ListCache } from "../native/lists.js";
import { native } from "../native/native.js";
import type { Stream } from "../stream.js";
import type { Tensor } from "../tensor.js";
import { isCount, OperatorCheck } from "./check.js";

/** Ordered adds, in columns: entry `i` adds `rows[i]` vectors `from[i] + g` to `to[i] + g · stride[i]`. */
export interface VectorRuns {
  readonly from: Float64Array | Int32Array;
  readonly to: Float64Array | Int32Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
}

/** Blocks of vectors, in columns: `rows` groups of `width` consecutive ones, `stride` apart. */
export interface VectorBlocks {
  readonly offset: Float64Array | Int32Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
  readonly width: Int32Array;
}

const runHandles = new ListCache((list: VectorRuns) =>
  native().vectorRunsCreate(
    requireColumn(list?.from, "list.from"),
    requireColumn(list.to, "list.to"),
    requireColumn(list.rows, "list.rows"),
    requireColumn(list.stride, "list.stride"),
  ),
);

const blockHandles = new ListCache((blocks: VectorBlocks) =>
  native().vectorBlocksCreate(
    requireColumn(blocks?.offset, "blocks.offset"),
    requireColumn(blocks.rows, "blocks.rows"),
    requireColumn(blocks.stride, "blocks.stride"),
    requireColumn(blocks.width, "blocks.width"),
  ),
);

function places(
  operator: string,
  stream: Stream,
  args: { from: Tensor; to: Tensor; vectorSize: number },
  only?: "float32",
) {
  const check = new OperatorCheck(operator, stream);
  const size = check.number("vectorSize", args.vectorSize, isCount, "a positive integer");
  const lead = only === undefined ? check.lead("from", args.from) : { name: "from", dtype: only };
  const from = check.vectors("from", args.from, size, lead);
  const to = check.vectors("to", args.to, size, lead);
  check.apart("to", args.to, { from: args.from });
  const type = dtypeCode[lead.dtype];
  return { stream: check.stream, tensors: [...from, ...to] as const, size, type };
}

/**
 * Adds vectors of `from` to vectors of `to`, both float32, in the list's order, so that sums of several partials
 * are the same bits in every run.
 *
 * @throws ARGUMENT for an entry that reaches outside a tensor
 */
export function accumulateVectors(
  stream: Stream,
  args: { from: Tensor; to: Tensor; list: VectorRuns; vectorSize: number },
): void {
  const { stream: handle, tensors, size } = places("accumulateVectors", stream, args, "float32");
  native().accumulateVectors(handle, ...tensors, runHandles.handle(args.list), size);
}

/** The blocks' vectors of `from`, one after another, to the start of `to`; float32 or bfloat16. */
export function gatherVectors(
  stream: Stream,
  args: { from: Tensor; to: Tensor; blocks: VectorBlocks; vectorSize: number },
): void {
  const { stream: handle, tensors, size, type } = places("gatherVectors", stream, args);
  native().gatherVectors(handle, ...tensors, blockHandles.handle(args.blocks), size, type);
}

/** Vectors from the start of `from`, one after another, to the blocks of `to`; float32 or bfloat16. */
export function scatterVectors(
  stream: Stream,
  args: { from: Tensor; to: Tensor; blocks: VectorBlocks; vectorSize: number },
): void {
  const { stream: handle, tensors, size, type } = places("scatterVectors", stream, args);
  native().scatterVectors(handle, ...tensors, blockHandles.handle(args.blocks), size, type);
}
