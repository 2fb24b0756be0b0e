import { expected, LibraError } from "@libra/base";
import { type AttentionHeads, requireHeads } from "@libra/cost-model";
import type { FloatType, Tensor } from "@libra/runtime";
import type { TilePlan } from "@libra/scheduler";
import { ownedCount, requireCuSeqlens } from "@libra/topology";

const planError = (message: string, details?: Record<string, unknown>): LibraError =>
  new LibraError("PLAN", message, details === undefined ? {} : { details });

/**
 * Checks a plan against the pool that shall run it.
 *
 * @param poolSize - ranks of the communicator
 * @throws LibraError `PLAN` when workers and ranks differ in number, borders and owned rows do not
 *   fit each other, `UNSUPPORTED` for head dims beyond the kernels'
 */
export function checkPlan(plan: TilePlan, worker: number, poolSize: number, rank: number): void {
  if (plan.workers !== poolSize) {
    throw planError(
      `Expected a pool of ${plan.workers} ranks, the plan's workers, but received a pool of ${poolSize}`,
      { workers: plan.workers, ranks: poolSize },
    );
  }
  if (!Number.isInteger(worker) || worker < 0 || worker >= plan.workers) {
    throw expected(`an integer from 0 to ${plan.workers - 1}`, "worker", worker);
  }
  if (worker !== rank) {
    throw planError(
      `Expected worker ${rank}, this rank's place in the pool, but received ${worker}`,
    );
  }
  checkHeadDims(requireHeads(plan.heads));
  for (const [sequence, borders] of plan.sequences.entries()) {
    const rows = plan.owned[sequence]?.rows;
    if (rows === undefined) throw planError(`Sequence ${sequence} of the plan has no owned rows`);
    requireCuSeqlens(borders, rows, `cuSeqlens of sequence ${sequence}`);
  }
}

// What the CPU kernels take (AttentionForwardArguments), forward and backward.
const largestHeadDim = 256;

function checkHeadDims({ headDim, valueDim }: AttentionHeads): void {
  for (const [name, dim] of Object.entries({ headDim, valueDim })) {
    if (dim <= largestHeadDim) continue;
    throw new LibraError(
      "UNSUPPORTED",
      `Attention kernels take a ${name} of 1 to ${largestHeadDim}, forward and backward, but the plan has ${dim}`,
      { details: { [name]: dim } },
    );
  }
}

/** Rows of the plan that a worker owns. */
export function ownedRowCount(plan: TilePlan, worker: number): number {
  return ownedCount(plan.owned[Math.floor(worker / plan.cp)]!, worker % plan.cp);
}

/**
 * Refuses every argument besides the known ones: a mask, bias, window or dropout that is not
 * implemented must never be ignored (case B3).
 *
 * @throws LibraError `UNSUPPORTED` that names the argument
 */
export function checkOnly(given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (known.includes(name) || value === undefined || value === null) continue;
    throw new LibraError(
      "UNSUPPORTED",
      `@libra/attention does not implement ${JSON.stringify(name)}: attention is causal inside each document of cuSeqlens; it takes ${known.join(", ")}`,
      { details: { argument: name } },
    );
  }
}

/**
 * Checks a tensor against the plan and the operator.
 *
 * @param dtype - the operator's
 * @param shape - what the plan asks for
 * @param meaning - names of the dimensions, for the message
 * @throws LibraError `PLAN` with both shapes, `ARGUMENT` with both types
 */
export function checkTensor(
  tensor: Tensor,
  name: string,
  dtype: FloatType,
  shape: readonly number[],
  meaning: string,
): void {
  if (tensor?.shape === undefined) throw expected("a tensor", name, tensor);
  if (tensor.dtype !== dtype) {
    throw expected(`a tensor of ${dtype}, the operator's dtype,`, name, tensor.dtype);
  }
  const same =
    tensor.shape.length === shape.length && shape.every((size, i) => size === tensor.shape[i]);
  if (same) return;
  throw planError(
    `Expected [${shape.join(", ")}] (${meaning} of the plan) for ${name} but received [${tensor.shape.join(", ")}]`,
    { name, expected: [...shape], received: [...tensor.shape] },
  );
}

/** Shapes of the five kinds of tensors for `rows` owned rows. */
export function shapesOf(rows: number, heads: AttentionHeads) {
  const { queryHeads, kvHeads, headDim, valueDim } = heads;
  return {
    q: [rows, queryHeads, headDim],
    k: [rows, kvHeads, headDim],
    v: [rows, kvHeads, valueDim],
    out: [rows, queryHeads, valueDim],
    logSumExp: [rows, queryHeads],
  } as const;
}

/**
 * Checks the factor of the scores.
 *
 * @throws LibraError `ARGUMENT`
 */
export function requireScale(scale: number | undefined): number | undefined {
  if (scale === undefined || (Number.isFinite(scale) && scale !== 0)) return scale;
  throw expected("a finite number other than 0", "scale", scale);
}
