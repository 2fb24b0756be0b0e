/** What one pass (one forward or one backward call) did on this worker. */
export interface PassCounts {
  /** Tiles computed by this worker, its own and others'. */
  readonly tiles: number;
  /** Segments given to the kernel. */
  readonly segments: number;
  /** Chunks of the pipeline; 0 when the whole plan is at home and nothing was exchanged. */
  readonly chunks: number;
  /** Vectors, one (row, head) each, sent to other workers; copies to oneself are not counted. */
  readonly vectorsSent: number;
  readonly vectorsReceived: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Bytes of keys and values (backward: also of dK and dV) among `bytesSent`. */
  readonly keyBytesSent: number;
  /** Bytes sent to each worker of the pool, 0 for oneself. */
  readonly bytesToWorker: Float64Array;
}

/** Calls of one kind so far: their number, the last one's counts and the sums over all. */
export interface CallCounts {
  readonly calls: number;
  readonly last: PassCounts;
  readonly total: PassCounts;
}

/** Bytes that one layer's attention takes on a worker beside the caller's own tensors. */
export interface ModeMemory {
  /** From a forward call to the end of its backward, one for each call that waits for it. */
  readonly held: number;
  /** During a forward call, `held` included. */
  readonly forward: number;
  /** During a backward call, `held` not included. */
  readonly backward: number;
}

/** {@link ModeMemory} with and without `keepTiles`, whichever is in use. */
export interface PassMemory {
  readonly keepTiles: ModeMemory;
  readonly sendAgain: ModeMemory;
}

/** What `attention.stats()` gives (case C14: it shows that the operator took part). */
export interface AttentionStats {
  readonly name: string;
  readonly planner: string;
  readonly worker: number;
  readonly workers: number;
  readonly forward: CallCounts;
  readonly backward: CallCounts;
  /** Bytes of Q, K and V tiles now kept for backward; always 0 without `keepTiles`. */
  readonly keptBytes: number;
  /** What the current plan takes in both modes of `keepTiles`. */
  readonly memory: PassMemory;
}

/** Counts of a pass that has not run. */
export function noCounts(workers: number): PassCounts {
  return {
    tiles: 0,
    segments: 0,
    chunks: 0,
    vectorsSent: 0,
    vectorsReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
    keyBytesSent: 0,
    bytesToWorker: new Float64Array(workers),
  };
}

/** Calls of one kind, before the first. */
export function noCalls(workers: number): CallCounts {
  return { calls: 0, last: noCounts(workers), total: noCounts(workers) };
}

/** The calls with one more. */
export function addCall(before: CallCounts, last: PassCounts): CallCounts {
  return { calls: before.calls + 1, last, total: addCounts(before.total, last) };
}

function addCounts(a: PassCounts, b: PassCounts): PassCounts {
  return {
    tiles: a.tiles + b.tiles,
    segments: a.segments + b.segments,
    chunks: a.chunks + b.chunks,
    vectorsSent: a.vectorsSent + b.vectorsSent,
    vectorsReceived: a.vectorsReceived + b.vectorsReceived,
    bytesSent: a.bytesSent + b.bytesSent,
    bytesReceived: a.bytesReceived + b.bytesReceived,
    keyBytesSent: a.keyBytesSent + b.keyBytesSent,
    bytesToWorker: a.bytesToWorker.map((bytes, worker) => bytes + b.bytesToWorker[worker]!),
  };
}
