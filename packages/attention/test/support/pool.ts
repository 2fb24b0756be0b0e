import { type AttentionHeads, pairsCost } from "@libra/cost-model";
import { copy, type FloatType, launchLocal, type Rank } from "@libra/runtime";
import { plannerByName, type TilePlan } from "@libra/scheduler";
import { contiguousRows, type NodeLayout, type OwnedRows, ownedIndices } from "@libra/topology";
import { type Attention, buildAttention } from "../../src/attention.js";
import type { AttentionStats } from "../../src/index.js";
import { type Data, generateData, relativeError, roundBfloat16, sameBits } from "./generate.js";
import { type ReferenceShape, referenceBackward, referenceForward } from "./reference.js";

type LaunchOptions = NonNullable<Parameters<typeof launchLocal>[2]>;

/** One pool with data: what a test runs. */
export interface PoolCase {
  /** Document lengths of each packed sequence of the pool. */
  readonly documents: readonly (readonly number[])[];
  readonly heads: AttentionHeads;
  readonly cp?: number;
  /** A planner's name; "libra" by default. */
  readonly planner?: string;
  readonly plannerOptions?: Parameters<typeof plannerByName>[1];
  /** Rows of a row block of the planning cost; small by default, so that small documents are cut. */
  readonly rowBlock?: number;
  readonly own?: (cuSeqlens: Int32Array, cp: number) => OwnedRows;
  readonly scale?: number;
  /** Data of each sequence; the generator G by default. */
  readonly data?: readonly Data[];
  readonly keepTiles?: boolean;
  readonly hops?: 1 | 2;
  /** "float32" by default. */
  readonly dtype?: FloatType;
  readonly nodes?: NodeLayout;
  /** False sends even home tiles through the exchange. */
  readonly inPlace?: boolean;
  readonly launch?: LaunchOptions;
  /** Called on every rank before the first call. */
  readonly prepare?: (rank: Rank, attention: Attention) => void;
}

/** Full results of one packed sequence, gathered from its owners. */
export interface SequenceResult {
  readonly out: Float32Array;
  readonly logSumExp: Float32Array;
  readonly dq: Float32Array;
  readonly dk: Float32Array;
  readonly dv: Float32Array;
}

export type SequenceErrors = Record<keyof SequenceResult, number>;

const resultNames = ["out", "logSumExp", "dq", "dk", "dv"] as const;

export interface PoolResult {
  readonly plan: TilePlan;
  readonly sequences: readonly SequenceResult[];
  /** Statistics of each worker. */
  readonly stats: readonly AttentionStats[];
}

export const heads = (
  queryHeads: number,
  kvHeads: number,
  headDim: number,
  valueDim = headDim,
): AttentionHeads => ({ queryHeads, kvHeads, headDim, valueDim });

export function bordersOf(lengths: readonly number[]): Int32Array {
  const borders = new Int32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) borders[i + 1] = borders[i]! + length;
  return borders;
}

/** The plan of a case. */
export function planOf(pool: PoolCase): TilePlan {
  const cp = pool.cp ?? 1;
  const sequences = pool.documents.map(bordersOf);
  return plannerByName(pool.planner ?? "libra", pool.plannerOptions ?? {}).plan({
    sequences,
    heads: pool.heads,
    owned: sequences.map((borders) =>
      pool.own ? pool.own(borders, cp) : contiguousRows(borders.at(-1)!, cp),
    ),
    cp,
    cost: pairsCost(pool.rowBlock ?? 2),
    ...(pool.nodes === undefined ? {} : { nodes: pool.nodes }),
  });
}

/** Data of a case, rounded to its type: the generator G, shifted from sequence to sequence. */
function dataOf(pool: PoolCase): readonly Data[] {
  const data =
    pool.data ??
    pool.documents.map((lengths, sequence) =>
      generateData({ rows: lengths.reduce((a, b) => a + b, 0), ...pool.heads }, 0.7 * sequence),
    );
  const round = (values: Float64Array) =>
    values.map(pool.dtype === "bfloat16" ? roundBfloat16 : Math.fround);
  return data.map(({ q, k, v, dOut }) => ({
    q: round(q),
    k: round(k),
    v: round(v),
    dOut: round(dOut),
  }));
}

/** Rows `rows` of a flat array of `size` elements a row. */
export function takeRows(from: Float64Array, rows: Int32Array, size: number): Float32Array {
  const taken = new Float32Array(rows.length * size);
  for (const [i, row] of rows.entries()) {
    taken.set(from.subarray(row * size, (row + 1) * size), i * size);
  }
  return taken;
}

function putRows(to: Float32Array, rows: Int32Array, from: Float32Array, size: number): void {
  for (const [i, row] of rows.entries()) {
    to.set(from.subarray(i * size, (i + 1) * size), row * size);
  }
}

/** Runs forward and backward of a case on one local rank per worker and gathers the results. */
export async function runPool(pool: PoolCase): Promise<PoolResult> {
  const plan = planOf(pool);
  const data = dataOf(pool);
  const { queryHeads, kvHeads, headDim, valueDim } = pool.heads;
  const sizes = {
    out: queryHeads * valueDim,
    logSumExp: queryHeads,
    dq: queryHeads * headDim,
    dk: kvHeads * headDim,
    dv: kvHeads * valueDim,
  };
  const rowsOf = (worker: number) =>
    ownedIndices(plan.owned[Math.floor(worker / plan.cp)]!, worker % plan.cp);
  const parts = await launchLocal(
    plan.workers,
    async (rank) => {
      const rows = rowsOf(rank.rank);
      const own = data[Math.floor(rank.rank / plan.cp)]!;
      const stream = rank.stream("compute");
      // Inputs are written by the stream, as a layer before attention would.
      const tensor = (from: Float64Array, count: number, size: number) => {
        const shape = [rows.length, count, size];
        const to = rank.device.empty(shape, pool.dtype);
        copy(stream, {
          from: rank.device.fromArray(takeRows(from, rows, count * size), shape, pool.dtype),
          to,
        });
        return to;
      };
      const attention = buildAttention(
        {
          rank,
          pool: rank.world,
          plan,
          worker: rank.rank,
          ...(pool.scale === undefined ? {} : { scale: pool.scale }),
          ...(pool.hops === undefined ? {} : { hops: pool.hops }),
          ...(pool.dtype === undefined ? {} : { dtype: pool.dtype }),
          ...(pool.keepTiles === undefined ? {} : { keepTiles: pool.keepTiles }),
        },
        pool.inPlace === undefined ? {} : { inPlace: pool.inPlace },
      );
      pool.prepare?.(rank, attention);
      const { out, saved } = attention.forward(stream, {
        q: tensor(own.q, queryHeads, headDim),
        k: tensor(own.k, kvHeads, headDim),
        v: tensor(own.v, kvHeads, valueDim),
      });
      const dOut = tensor(own.dOut, queryHeads, valueDim);
      const { dq, dk, dv } = attention.backward(stream, { dOut, saved });
      const read = async (from: Parameters<typeof stream.read>[0]) =>
        (await stream.read(from)) as Float32Array;
      const result = {
        out: await read(out),
        logSumExp: await read(saved.logSumExp),
        dq: await read(dq),
        dk: await read(dk),
        dv: await read(dv),
      };
      return { result, stats: attention.stats() };
    },
    pool.launch,
  );
  const sequences = plan.sequences.map((borders, sequence) => {
    const gathered = {} as Record<keyof SequenceResult, Float32Array>;
    for (const name of resultNames) {
      gathered[name] = new Float32Array(borders.at(-1)! * sizes[name]);
      for (let index = 0; index < plan.cp; index += 1) {
        const worker = sequence * plan.cp + index;
        putRows(gathered[name], rowsOf(worker), parts[worker]!.result[name], sizes[name]);
      }
    }
    return gathered;
  });
  return { plan, sequences, stats: parts.map((part) => part.stats) };
}

/** Largest relative error of every tensor of every sequence against float64; the data is of order 1. */
export function largestError(pool: PoolCase, result: PoolResult): number {
  return Math.max(0, ...Object.values(largestErrors(pool, result)));
}

/** As {@link largestError}, by tensor. */
export function largestErrors(pool: PoolCase, result: PoolResult): SequenceErrors {
  const errors: SequenceErrors = { out: 0, logSumExp: 0, dq: 0, dk: 0, dv: 0 };
  for (const [sequence, expected] of referencePool(pool).entries()) {
    for (const name of resultNames) {
      const error = relativeError(result.sequences[sequence]![name], expected[name], 1);
      errors[name] = Math.max(errors[name], error);
    }
  }
  return errors;
}

/** Names of the tensors of `sequences` that differ in a bit, of those asked for. */
export function differing(
  a: PoolResult,
  b: PoolResult,
  names: readonly (keyof SequenceResult)[] = resultNames,
): string[] {
  return a.sequences.flatMap((sequence, i) =>
    names
      .filter((name) => !sameBits(sequence[name], b.sequences[i]![name]))
      .map((name) => `${name} of sequence ${i}`),
  );
}

/** The float64 results of every sequence of a case. */
function referencePool(pool: PoolCase) {
  return pool.documents.map((lengths, sequence) => {
    const data = dataOf(pool)[sequence]!;
    const shape: ReferenceShape = {
      ...pool.heads,
      queryLengths: lengths,
      scale: pool.scale ?? 1 / Math.sqrt(pool.heads.headDim),
    };
    return { ...referenceForward(shape, data), ...referenceBackward(shape, data, data.dOut) };
  });
}
