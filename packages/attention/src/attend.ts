import { expected, LibraError } from "@libra/base";
import { type AttentionHeads, pairsCost, requireHeads } from "@libra/cost-model";
import { type FloatType, launchLocal } from "@libra/runtime";
import { type TilePlan, ulysses } from "@libra/scheduler";
import { contiguousRows, requireCuSeqlens } from "@libra/topology";
import { createAttention } from "./attention.js";
import { checkOnly } from "./check.js";
import { requireFloatType } from "./dtypes.js";

/** Arrays of one packed sequence, flat row-major `[row][head][dim]`. */
export interface AttendInputs {
  readonly q: ArrayLike<number>;
  readonly k: ArrayLike<number>;
  readonly v: ArrayLike<number>;
  /** Adds the backward pass. */
  readonly dOut?: ArrayLike<number>;
  /** Borders of the documents: ascending integers from 0 to the number of rows. */
  readonly cuSeqlens: ArrayLike<number>;
  readonly heads: AttentionHeads;
  /** Factor of the scores; 1/√headDim by default. */
  readonly scale?: number;
  /** A plan for one worker; by default the whole sequence as it is. */
  readonly plan?: TilePlan;
  /** What the values are rounded to and computed in; "float32" by default. */
  readonly dtype?: FloatType;
  /** Compute threads; as many as the machine has cores by default. */
  readonly threads?: number;
}

/** Results of {@link attend}, flat row-major; gradients only when `dOut` was given. */
export interface AttendResult {
  readonly out: Float32Array;
  readonly logSumExp: Float32Array;
  readonly gradients?: { dq: Float32Array; dk: Float32Array; dv: Float32Array };
}

const names = "q k v dOut cuSeqlens heads scale plan dtype threads".split(" ");

/**
 * Attention over plain arrays in one process and one rank, without a runtime to set up: to try the
 * operator, and as the one-rank answer to compare others with.
 *
 * @throws LibraError `STATE` for a plan of several workers, `ARGUMENT` for wrong borders or array
 *   lengths, `UNSUPPORTED` for any other argument (mask, bias, window, …)
 */
export async function attend(inputs: AttendInputs): Promise<AttendResult> {
  checkOnly(inputs, names);
  const heads = requireHeads(inputs.heads);
  const dtype = requireFloatType(inputs.dtype ?? "float32");
  const { queryHeads, kvHeads, headDim, valueDim } = heads;
  const rowSize = queryHeads * headDim;
  const rows = inputs.q.length / rowSize;
  if (!Number.isInteger(rows)) {
    throw expected(`whole rows of ${rowSize} numbers`, "q", `an array of ${inputs.q.length}`);
  }
  const borders = requireCuSeqlens(inputs.cuSeqlens);
  const tokens = borders.at(-1)!;
  if (tokens !== rows) throw expected(`${rows}, the rows of q,`, "cuSeqlens's last border", tokens);
  checkLength(inputs.k, "k", rows * kvHeads * headDim);
  checkLength(inputs.v, "v", rows * kvHeads * valueDim);
  if (inputs.dOut !== undefined) checkLength(inputs.dOut, "dOut", rows * queryHeads * valueDim);
  const plan = inputs.plan ?? wholePlan(borders, heads);
  if (plan.workers !== 1) {
    throw new LibraError(
      "STATE",
      `This plan needs ${plan.workers} workers and attend runs on one rank outside a pool: call createAttention inside launchLocal with a pool of ${plan.workers} ranks`,
      { details: { workers: plan.workers } },
    );
  }
  const planned = plan.sequences[0]!;
  if (planned.length !== borders.length || planned.some((border, i) => border !== borders[i])) {
    throw expected(`the plan's borders ${planned.join(", ")}`, "cuSeqlens", [...borders]);
  }
  const threads = inputs.threads === undefined ? {} : { threads: inputs.threads };
  const [result] = await launchLocal(
    1,
    async (rank) => {
      const stream = rank.stream("compute");
      const tensor = (array: ArrayLike<number>, count: number, size: number) =>
        rank.device.fromArray(Float32Array.from(array), [rows, count, size], dtype);
      const scale = inputs.scale === undefined ? {} : { scale: inputs.scale };
      const attention = createAttention({
        ...{ rank, pool: rank.world, plan, worker: 0, dtype, ...scale },
      });
      const { out, saved } = attention.forward(stream, {
        q: tensor(inputs.q, queryHeads, headDim),
        k: tensor(inputs.k, kvHeads, headDim),
        v: tensor(inputs.v, kvHeads, valueDim),
      });
      const read = async (from: Parameters<typeof stream.read>[0]): Promise<Float32Array> =>
        Float32Array.from(await stream.read(from));
      const forward = { out: await read(out), logSumExp: await read(saved.logSumExp) };
      if (inputs.dOut === undefined) return forward;
      const dOut = tensor(inputs.dOut, queryHeads, valueDim);
      const { dq, dk, dv } = attention.backward(stream, { dOut, saved });
      const gradients = { dq: await read(dq), dk: await read(dk), dv: await read(dv) };
      return { ...forward, gradients };
    },
    threads,
  );
  return result!;
}

function wholePlan(borders: Int32Array, heads: AttentionHeads): TilePlan {
  return ulysses().plan({
    sequences: [borders],
    heads,
    owned: [contiguousRows(borders.at(-1)!, 1)],
    cp: 1,
    cost: pairsCost(),
  });
}

function checkLength(array: ArrayLike<number>, name: string, length: number): void {
  if (array?.length === length) return;
  throw expected(`${length} numbers`, name, `an array of ${array?.length}`);
}
