import type { AttentionHeads } from "@libra/cost-model";
import type { FloatType } from "@libra/runtime";
import type { ExchangeProgram, TilePlan } from "@libra/scheduler";
import { bytesOf, sumBytes } from "./dtypes.js";
import type { KeyReturn } from "./key-return.js";
import type { MergeRound } from "./merge.js";
import type { PassMemory } from "./stats.js";

/**
 * A plan that moves nothing has no staging, whatever is kept; gradients of bfloat16 tensors are
 * summed in float32.
 */
export function homeMemory(rows: number, heads: AttentionHeads, dtype: FloatType): PassMemory {
  const { queryHeads, kvHeads, headDim, valueDim } = heads;
  const elements = rows * (queryHeads * headDim + kvHeads * (headDim + valueDim));
  const mode = {
    held: 0,
    forward: 0,
    backward: dtype === "float32" ? 0 : sumBytes * elements,
  };
  return { keepTiles: mode, sendAgain: mode };
}

interface MemoryOptions {
  readonly rounds: readonly MergeRound[];
  readonly keys: KeyReturn;
  readonly dtype: FloatType;
  /** Whether the worker has home tiles. */
  readonly home: boolean;
}

/** Bytes that the passes of one layer take on a worker, in both modes of `keepTiles`. */
export function planMemory(
  plan: TilePlan,
  program: ExchangeProgram,
  { rounds, keys, dtype, home }: MemoryOptions,
): PassMemory {
  const { headDim, valueDim } = plan.heads;
  const key = headDim + valueDim;
  const element = bytesOf(dtype);
  const narrow = dtype === "bfloat16";
  const { buffers, hops } = program;
  const { homeQuery, homeKey, stagingQuery, stagingKey, partialKey, relayPartial } = buffers;
  const { relayQuery, relayKey } = hops === 2 ? buffers : { relayQuery: 0, relayKey: 0 };
  const partialQuery = plan.keyRanges ? buffers.partialQuery : 0;
  const partial = plan.keyRanges ? sumBytes : element;
  // Merging gathers both sides of each round.
  const merged = rounds.reduce((sum, { vectors }) => sum + 2 * vectors, 0);

  const inputs = element * (stagingQuery * headDim + stagingKey * key);
  const inputRelays = element * (relayQuery * headDim + relayKey * key);
  const outputs =
    (stagingQuery + partialQuery + relayQuery + merged) * (partial * valueDim + sumBytes);
  // Parts over key ranges are computed from float32 tiles and merged into float32 outputs.
  const wideForward =
    narrow && plan.keyRanges
      ? sumBytes * (stagingQuery * headDim + stagingKey * key + homeQuery * valueDim)
      : 0;
  const returnedQuery =
    sumBytes * stagingQuery * headDim +
    (narrow && !plan.keyRanges ? element * stagingQuery * headDim : 0) +
    (narrow && (plan.keyRanges || home) ? sumBytes * homeQuery * headDim : 0) +
    partial * (partialQuery + relayQuery + merged) * headDim;
  const keyBytes = bytesOf(keys.dtype);
  const returnedKey =
    sumBytes * stagingKey +
    (keys.dtype === "bfloat16" ? keyBytes * stagingKey : 0) +
    keyBytes * partialKey +
    sumBytes * homeKey * homeSums(keys, narrow, home) +
    (hops === 2 ? sumBytes * (relayPartial + relayKey) : 0);
  const gradients =
    (stagingQuery + relayQuery) * (element * valueDim + 2 * sumBytes) +
    returnedQuery +
    returnedKey * key;
  const forward = inputs + inputRelays + outputs + wideForward;
  return {
    keepTiles: { held: inputs, forward, backward: gradients },
    sendAgain: { held: 0, forward, backward: inputs + inputRelays + gradients },
  };
}

// Float32 tensors laid out as k and v, beside the gradients: sums of the home tiles, and of all tiles.
function homeSums(keys: KeyReturn, narrow: boolean, home: boolean): number {
  const own = home && (narrow || keys.before.from.length > 0);
  const all = narrow && keys.scatter === undefined && !(home && keys.before.from.length === 0);
  return Number(own) + Number(all);
}
