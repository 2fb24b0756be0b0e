import type { AttentionSegments, FloatType } from "@libra/runtime";
import {
  type BlockList,
  type ExchangeProgram,
  exchangeProgram,
  type TilePlan,
} from "@libra/scheduler";
import { ownedRowCount } from "./check.js";
import { bytesOf, sumBytes } from "./dtypes.js";
import { type KeyReturn, keyReturn } from "./key-return.js";
import { type MergeRound, mergeRounds } from "./merge.js";
import { homeMemory, planMemory } from "./plan-memory.js";
import { homeSegments, stagingSegments } from "./segments.js";
import { noCounts, type PassCounts, type PassMemory } from "./stats.js";

/** A plan as one worker carries it out; made once per plan, used by every layer and pass. */
export interface PreparedPlan {
  readonly plan: TilePlan;
  readonly worker: number;
  /** Of the operator's tensors. */
  readonly dtype: FloatType;
  /** Rows this worker owns. */
  readonly rows: number;
  /** The exchange; undefined when every worker computes exactly what it owns. */
  readonly program: ExchangeProgram | undefined;
  /** Segments by chunk: over staging tensors, or one entry over home tensors without a program. */
  readonly segments: readonly AttentionSegments[];
  /** How results over key ranges are merged at home; empty for plans without. */
  readonly rounds: readonly MergeRound[];
  /** How dK and dV come back to their owners. */
  readonly keys: KeyReturn;
  readonly forward: PassCounts;
  readonly backward: PassCounts;
  /** Backward without Q, K and V, which `keepTiles` kept. */
  readonly backwardKept: PassCounts;
  readonly memory: PassMemory;
}

/** How a plan is carried out; equal on all workers. */
export interface PrepareOptions {
  /** Hops of the exchange program. */
  readonly hops: 1 | 2;
  /** False sends even a plan that moves nothing through the exchange. */
  readonly inPlace: boolean;
  /** Of the operator's tensors. */
  readonly dtype: FloatType;
}

const noReturn: KeyReturn = Object.freeze({ dtype: "float32", scatter: undefined });

const known = new WeakMap<TilePlan, Map<string, PreparedPlan>>();

/**
 * Makes everything that does not depend on tensors, once per plan, worker and options: the layers of
 * a model share it.
 */
export function preparePlan(plan: TilePlan, worker: number, options: PrepareOptions): PreparedPlan {
  const ofPlan = known.get(plan) ?? new Map<string, PreparedPlan>();
  known.set(plan, ofPlan);
  const key = `${worker} ${options.hops} ${options.inPlace} ${options.dtype}`;
  const prepared = ofPlan.get(key) ?? prepare(plan, worker, options);
  ofPlan.set(key, prepared);
  return prepared;
}

function prepare(plan: TilePlan, worker: number, options: PrepareOptions): PreparedPlan {
  const { hops, inPlace, dtype } = options;
  const rows = ownedRowCount(plan, worker);
  const { headDim, valueDim } = plan.heads;
  if (inPlace && staysHome(plan)) {
    const tiles = tilesOf(plan, worker);
    const segments = homeSegments(plan, tiles);
    const counts = { ...noCounts(plan.workers), tiles: tiles.length, segments: segments.count };
    const all = { forward: counts, backward: counts, backwardKept: counts };
    const home = { program: undefined, segments: [segments], rounds: [], keys: noReturn };
    const memory = homeMemory(rows, plan.heads, dtype);
    return { plan, worker, dtype, rows, memory, ...home, ...all };
  }
  const program = exchangeProgram(plan, worker, { hops });
  const segments = program.chunks.map((_, chunk) => stagingSegments(plan, program, chunk));
  const count = (sizes: PassSizes): PassCounts => countPass(program, segments, sizes);
  const rounds = mergeRounds(program.merge);
  const keys = keyReturn(plan, program, dtype);
  const element = bytesOf(dtype);
  // Parts of a sum over key ranges travel as they are summed.
  const partial = plan.keyRanges ? sumBytes : element;
  const [query, value] = [element * headDim, element * valueDim];
  const state = [sumBytes, sumBytes]; // log-sum-exp and delta
  const queryBack = [partial * headDim];
  const keyBack = [headDim, valueDim].map((size) => size * bytesOf(keys.dtype));
  return {
    plan,
    worker,
    dtype,
    rows,
    program,
    segments,
    rounds,
    keys,
    memory: planMemory(plan, program, { rounds, keys, dtype }),
    forward: count({
      query: [query],
      key: [query, value],
      queryBack: [partial * valueDim, sumBytes],
      keyBack: [],
    }),
    backward: count({
      query: [query, value, ...state],
      key: [query, value],
      queryBack,
      keyBack,
    }),
    backwardKept: count({ query: [value, ...state], key: [], queryBack, keyBack }),
  };
}

// The same on every rank, since it looks at the whole plan: either all exchange or none does.
function staysHome(plan: TilePlan): boolean {
  if (plan.cp !== 1 || plan.keyRanges) return false;
  for (let tile = 0; tile < plan.count; tile += 1) {
    if (plan.worker[tile] !== plan.sequence[tile]) return false;
  }
  return true;
}

function tilesOf(plan: TilePlan, worker: number): Int32Array {
  const tiles: number[] = [];
  for (let tile = 0; tile < plan.count; tile += 1) {
    if (plan.worker[tile] === worker) tiles.push(tile);
  }
  return Int32Array.from(tiles);
}

/** Bytes of a vector of each tensor that a pass sends out and back. */
interface PassSizes {
  readonly query: readonly number[];
  readonly key: readonly number[];
  readonly queryBack: readonly number[];
  readonly keyBack: readonly number[];
}

function countPass(
  program: ExchangeProgram,
  segments: readonly AttentionSegments[],
  sizes: PassSizes,
): PassCounts {
  const { worker, workers } = program;
  const bytesToWorker = new Float64Array(workers);
  const sums = { vectorsSent: 0, vectorsReceived: 0, bytesSent: 0, bytesReceived: 0, key: 0 };
  const add = (
    send: BlockList,
    receive: BlockList,
    vectorBytes: readonly number[],
    key = false,
  ) => {
    for (let peer = 0; peer < workers; peer += 1) {
      if (peer === worker) continue;
      const sent = vectorsOf(send, peer);
      const received = vectorsOf(receive, peer);
      for (const size of vectorBytes) {
        const bytes = sent * size;
        sums.vectorsSent += sent;
        sums.vectorsReceived += received;
        sums.bytesSent += bytes;
        sums.bytesReceived += received * size;
        bytesToWorker[peer]! += bytes;
        if (key) sums.key += bytes;
      }
    }
  };
  for (const chunk of program.chunks) {
    for (const hop of chunk.dispatch) {
      add(hop.query.send, hop.query.receive, sizes.query);
      add(hop.key.send, hop.key.receive, sizes.key, true);
    }
    for (const hop of chunk.return) {
      add(hop.query.send, hop.query.receive, sizes.queryBack);
      add(hop.key.send, hop.key.receive, sizes.keyBack, true);
    }
  }
  const { key: keyBytesSent, ...counts } = sums;
  return {
    ...counts,
    keyBytesSent,
    bytesToWorker,
    tiles: program.tiles.length,
    segments: segments.reduce((total, { count }) => total + count, 0),
    chunks: program.chunks.length,
  };
}

function vectorsOf(list: BlockList, peer: number): number {
  let vectors = 0;
  for (let block = list.peerOffsets[peer]!; block < list.peerOffsets[peer + 1]!; block += 1) {
    vectors += list.rows[block]! * list.width[block]!;
  }
  return vectors;
}
