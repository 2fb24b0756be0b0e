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
 * Which buffer a block reads or writes. `end`: the transfer's own end point, the home or staging
 * tensor; but `partialKey` where an owner receives dK and dV, and `partialQuery` where the owner of
 * a plan with key ranges receives outputs or dQ. `relay`: the buffer between two hops, `relayQuery`
 * or `relayKey` on dispatch; on return a tensor of `relayQuery`'s size for query vectors, for key
 * vectors `relayPartial` where a relay receives and a zeroed tensor of `relayKey`'s size (the sums)
 * where it sends.
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

/** Ordered adds: entry `i` adds `rows[i]` vectors from `from[i] + g` to `to[i] + g · stride[i]`. */
export interface OrderedAdds {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
}

/**
 * Ordered merges of partial results over key ranges: entry `i` merges `rows[i]` groups of `width[i]`
 * vectors, group `g` from `from[i] + g · width[i]` into `to[i] + g · stride[i]`.
 */
export interface OrderedMerges extends OrderedAdds {
  readonly width: Int32Array;
}

/** The exchange of one chunk; hops run one after another. */
export interface ChunkProgram {
  /** Home to staging. Key rows travel with the first chunk that needs them. */
  readonly dispatch: readonly Hop[];
  /** Staging to home. Key rows return with the last chunk that used them. */
  readonly return: readonly Hop[];
  /**
   * Two hops only, between the return's hops: sums of dK and dV partials of the node's workers, from
   * `relayPartial` into the relay's sums. Empty with one hop.
   */
  readonly relayAdds: OrderedAdds;
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

/** Sizes of a worker's buffers, in vectors. */
export interface BufferSizes {
  /** Local row `i`, query head `h` at `i · Hq + h`. */
  readonly homeQuery: number;
  /** Local row `i`, KV head `g` at `i · Hkv + g`. */
  readonly homeKey: number;
  readonly stagingQuery: number;
  readonly stagingKey: number;
  /** Plans with key ranges only. */
  readonly partialQuery: number;
  readonly partialKey: number;
  /** Two hops only. */
  readonly relayQuery: number;
  readonly relayKey: number;
  readonly relayPartial: number;
}

/** Dispatched vectors that cross between this worker and each peer, over all chunks and hops. */
export interface ExchangeVectors {
  /** Query-like vectors; as many come back. */
  readonly sentQuery: Float64Array;
  readonly receivedQuery: Float64Array;
  /** Key-like vectors (times 2 for K and V); as many come back in backward. */
  readonly sentKey: Float64Array;
  readonly receivedKey: Float64Array;
}

/**
 * What one worker moves for one plan, forward and backward. Forward: for each chunk, q, k and v are
 * dispatched, out and log-sum-exp returned. Backward: q, k, v (unless kept), dOut, log-sum-exp and
 * delta are dispatched by the same lists, dQ returned by `return.query`, dK and dV by `return.key`;
 * then `accumulate` adds the partials. Plans with key ranges end with `merge`.
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
  /**
   * Plans with key ranges only: how an owner merges outputs (by log-sum-exp, into 0 and −∞) and adds
   * dQ from `partialQuery` into its home tensors, in the order (head, row, key) of the tiles.
   */
  readonly merge: OrderedMerges;
  readonly vectors: ExchangeVectors;
}
