import type { AttentionSegments } from "@libra/runtime";
import {
  type BlockList,
  type ExchangeProgram,
  exchangeProgram,
  type TilePlan,
} from "@libra/scheduler";
import { ownedRowCount } from "./check.js";
import { type MergeRound, mergeRounds } from "./merge.js";
import { noMemory, planMemory } from "./plan-memory.js";
import { homeSegments, stagingSegments } from "./segments.js";
import { noCounts, type PassCounts, type PassMemory } from "./stats.js";

const bytesPerElement = 4;

/** A plan as one worker carries it out; made once per plan, used by every layer and pass. */
export interface PreparedPlan {
  readonly plan: TilePlan;
  readonly worker: number;
  /** Rows this worker owns. */
  readonly rows: number;
  /** The exchange; undefined when every worker computes exactly what it owns. */
  readonly program: ExchangeProgram | undefined;
  /** Segments by chunk: over staging tensors, or one entry over home tensors without a program. */
  readonly segments: readonly AttentionSegments[];
  /** How results over key ranges are merged at home; empty for plans without. */
  readonly rounds: readonly MergeRound[];
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
}

const known = new WeakMap<TilePlan, Map<string, PreparedPlan>>();

/**
 * Makes everything that does not depend on tensors, once per plan, worker and options: the layers of
 * a model share it.
 */
export function preparePlan(plan: TilePlan, worker: number, options: PrepareOptions): PreparedPlan {
  const ofPlan = known.get(plan) ?? new Map<string, PreparedPlan>();
  known.set(plan, ofPlan);
  const key = `${worker} ${options.hops} ${options.inPlace}`;
  const prepared = ofPlan.get(key) ?? prepare(plan, worker, options);
  ofPlan.set(key, prepared);
  return prepared;
}

function prepare(plan: TilePlan, worker: number, { hops, inPlace }: PrepareOptions): PreparedPlan {
  const rows = ownedRowCount(plan, worker);
  const { headDim, valueDim } = plan.heads;
  if (inPlace && staysHome(plan)) {
    const tiles = tilesOf(plan, worker);
    const segments = homeSegments(plan, tiles);
    const counts = { ...noCounts(plan.workers), tiles: tiles.length, segments: segments.count };
    const all = { forward: counts, backward: counts, backwardKept: counts };
    const home = { program: undefined, segments: [segments], rounds: [], memory: noMemory };
    return { plan, worker, rows, ...home, ...all };
  }
  const program = exchangeProgram(plan, worker, { hops });
  const segments = program.chunks.map((_, chunk) => stagingSegments(plan, program, chunk));
  const count = (sizes: PassSizes): PassCounts => countPass(program, segments, sizes);
  const key = [headDim, valueDim];
  const rounds = mergeRounds(program.merge);
  return {
    plan,
    worker,
    rows,
    program,
    segments,
    rounds,
    memory: planMemory(plan, program, rounds),
    forward: count({ query: [headDim], key, queryBack: [valueDim, 1], keyBack: [] }),
    backward: count({
      query: [headDim, valueDim, 1, 1],
      key,
      queryBack: [headDim],
      keyBack: key,
    }),
    backwardKept: count({
      query: [valueDim, 1, 1],
      key: [],
      queryBack: [headDim],
      keyBack: key,
    }),
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

/** Vector sizes, in elements, of the tensors that a pass sends out and back. */
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
    vectorSizes: readonly number[],
    key = false,
  ) => {
    for (let peer = 0; peer < workers; peer += 1) {
      if (peer === worker) continue;
      const sent = vectorsOf(send, peer);
      const received = vectorsOf(receive, peer);
      for (const size of vectorSizes) {
        const bytes = sent * size * bytesPerElement;
        sums.vectorsSent += sent;
        sums.vectorsReceived += received;
        sums.bytesSent += bytes;
        sums.bytesReceived += received * size * bytesPerElement;
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
