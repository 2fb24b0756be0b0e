import type { AttentionSegments, FloatType } from "@libra/runtime";
import {
  type BlockList,
  type ExchangeProgram,
  exchangeProgram,
  type TilePlan,
} from "@libra/scheduler";
import { ownedRowCount } from "./check.js";
import { bytesOf, sumBytes } from "./dtypes.js";
import { homeTilesOf } from "./home-tiles.js";
import { type KeyReturn, keyReturn, noReturn } from "./key-return.js";
import { type MergeRound, mergeRounds } from "./merge.js";
import { homeMemory, planMemory } from "./plan-memory.js";
import { stagingSegments } from "./segments.js";
import { noCounts, type PassCounts, type PassMemory } from "./stats.js";

/** A plan as one worker carries it out; made once per plan, used by every layer and pass. */
export interface PreparedPlan {
  readonly plan: TilePlan;
  readonly worker: number;
  /** Of the operator's tensors. */
  readonly dtype: FloatType;
  /** Rows this worker owns. */
  readonly rows: number;
  /** Of this worker's home tiles, over its home tensors; undefined when it has none. */
  readonly home: AttentionSegments | undefined;
  /** The exchange of all other tiles; undefined when every worker computes exactly what it owns. */
  readonly program: ExchangeProgram | undefined;
  /** Of the other tiles, over staging tensors, by chunk. */
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
  /** False sends even home tiles through the exchange. */
  readonly inPlace: boolean;
  /** Of the operator's tensors. */
  readonly dtype: FloatType;
}

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
  const home = inPlace ? homeTilesOf(plan, worker) : undefined;
  const ofHome = home === undefined || home.count === 0 ? undefined : home.segments;
  const common = { plan, worker, dtype, rows, home: ofHome };
  const own = { tiles: home?.count ?? 0, segments: ofHome?.count ?? 0 };
  if (home?.away.count === 0) {
    const counts = { ...noCounts(plan.workers), ...own };
    return {
      ...common,
      ...{ program: undefined, segments: [], rounds: [], keys: noReturn },
      memory: homeMemory(rows, plan.heads, dtype),
      ...{ forward: counts, backward: counts, backwardKept: counts },
    };
  }
  const sent = home?.away ?? plan;
  const program = frozenLists(exchangeProgram(sent, worker, { hops }));
  const segments = program.chunks.map((_, chunk) => stagingSegments(sent, program, chunk));
  const count = (sizes: PassSizes): PassCounts => {
    const away = countPass(program, segments, sizes);
    return { ...away, tiles: away.tiles + own.tiles, segments: away.segments + own.segments };
  };
  const rounds = mergeRounds(program.merge);
  const keys = keyReturn(plan, program, dtype, ofHome !== undefined);
  const element = bytesOf(dtype);
  // Parts of a sum over key ranges travel as they are summed.
  const partial = plan.keyRanges ? sumBytes : element;
  const [query, value] = [element * headDim, element * valueDim];
  const state = [sumBytes, sumBytes]; // log-sum-exp and delta
  const queryBack = [partial * headDim];
  const keyBack = [headDim, valueDim].map((size) => size * bytesOf(keys.dtype));
  return {
    ...common,
    program,
    segments,
    rounds,
    keys,
    memory: planMemory(plan, program, { rounds, keys, dtype, home: ofHome !== undefined }),
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

// So that the runtime keeps its native copies.
function frozenLists(program: ExchangeProgram): ExchangeProgram {
  for (const { dispatch, return: back } of program.chunks) {
    for (const { query, key } of [...dispatch, ...back]) {
      for (const { send, receive } of [query, key]) {
        Object.freeze(send);
        Object.freeze(receive);
      }
    }
  }
  return program;
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
