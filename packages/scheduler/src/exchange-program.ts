import type { AttentionHeads } from "@libra/cost-model";

/**
 * Blocks of vectors in the order of the wire. A vector is one (row, head): width D or Dv elements,
 * or 1 for log-sum-exp and delta. Block `b` moves `rows[b]` groups of `width[b]` consecutive vectors,
 * group `g` beginning at vector `offset[b] + g · stride[b]` of buffer `buffer[b]`.
 */
export interface BlockList {
  /** Blocks to or from worker `p` are `peerOffsets[p] … peerOffsets[p + 1]`; length workers + 1. */
  readonly peerOffsets: Int32Array;
  /** {@link bufferIds}. */
  readonly buffer: Uint8Array;
  readonly offset: Float64Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
  readonly width: Int32Array;
}

/**
 * Which buffer a block reads or writes: `end` is the transfer's own end point (home or staging
 * tensor; for returned dK/dV the owner's `partialKey`, for returned outputs of plans with key ranges
 * `partialQuery`), `relay` the buffer between the two hops.
 */
export const bufferIds = Object.freeze({ end: 0, relay: 1 });

/**
 * What a worker sends and receives. For every pair (a, b), `a.send` to b and `b.receive` from a list
 * the same vectors in the same order, whatever the blocks' shapes; the own worker is a peer too.
 */
export interface Transfer {
  readonly send: BlockList;
  readonly receive: BlockList;
}

/** One round of the exchange: every worker takes part, with empty lists if need be. */
export interface Hop {
  /** Vectors of query heads: q, dOut, log-sum-exp, delta; back: out, log-sum-exp, dQ. */
  readonly query: Transfer;
  /** Vectors of KV heads: k and v; back: dK and dV (backward only). */
  readonly key: Transfer;
}

/** The exchange of one chunk; hops run one after another. */
export interface ChunkProgram {
  /** Home to staging. Key rows travel with the first chunk that needs them. */
  readonly dispatch: readonly Hop[];
  /** Staging to home. Key rows return with the last chunk that used them. */
  readonly return: readonly Hop[];
}

/** Merged key rows of one (sequence, KV head) in a worker's key staging, in columns. */
export interface KeyRuns {
  readonly sequence: Int32Array;
  readonly kvHead: Int32Array;
  readonly rowStart: Int32Array;
  readonly rowCount: Int32Array;
  /** First vector of the run in key staging. */
  readonly offset: Float64Array;
}

/** Ordered adds: entry `i` adds `rows[i]` vectors from `from[i] + g` to `to[i] + g · stride[i]`. */
export interface OrderedAdds {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
}

/** Sizes of a worker's buffers, in vectors. */
export interface BufferSizes {
  /** Local row `i`, query head `h` at `i · Hq + h`. */
  readonly homeQuery: number;
  /** Local row `i`, KV head `g` at `i · Hkv + g`. */
  readonly homeKey: number;
  readonly stagingQuery: number;
  readonly stagingKey: number;
  readonly partialQuery: number;
  readonly partialKey: number;
  readonly relayQuery: number;
  readonly relayKey: number;
}

/** Vectors that cross between this worker and each peer, over all chunks and hops. */
export interface ExchangeVectors {
  /** Dispatched query-like vectors sent; as many come back. */
  readonly sentQuery: Float64Array;
  readonly receivedQuery: Float64Array;
  /** Dispatched key-like vectors sent (times 2 for K and V). */
  readonly sentKey: Float64Array;
  readonly receivedKey: Float64Array;
}

/**
 * What one worker moves for one plan, forward and backward. Forward: for each chunk, q, k and v are
 * dispatched, out and log-sum-exp returned. Backward: q, k, v (unless kept), dOut, log-sum-exp and
 * delta are dispatched by the same lists, dQ returned by `return.query`, dK and dV by `return.key`;
 * then `accumulate` adds the partials.
 */
export interface ExchangeProgram {
  readonly worker: number;
  readonly workers: number;
  readonly heads: AttentionHeads;
  readonly hops: 1 | 2;
  readonly buffers: BufferSizes;
  /** This worker's tiles (indices into the plan), in the order of execution. */
  readonly tiles: Int32Array;
  /** First vector in query staging of each of `tiles`: `[rowCount][headCount]` vectors. */
  readonly queryOffset: Float64Array;
  /** Tiles of chunk `c` are `chunkTileOffsets[c] … [c + 1]`. */
  readonly chunkTileOffsets: Int32Array;
  /** Query staging of chunk `c` is the vectors `chunkQueryOffsets[c] … [c + 1]`. */
  readonly chunkQueryOffsets: Float64Array;
  readonly runs: KeyRuns;
  readonly chunks: readonly ChunkProgram[];
  /**
   * How an owner sums dK and dV partials from `partialKey` into its zeroed home tensors, in the
   * order (sequence, KV head, first head, first row, first key), never by worker or arrival.
   */
  readonly accumulate: OrderedAdds;
  readonly vectors: ExchangeVectors;
}
