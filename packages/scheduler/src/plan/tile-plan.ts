import type { AttentionHeads } from "@libra/cost-model";
import type { NodeLayout, OwnedRows } from "@libra/topology";
import type { PoolInput } from "./pool-input.js";

/**
 * The tile table of one micro-step of one pool, in columns. Tile `t` is the rows `[rowStart,
 * rowStart + rowCount)` of a packed sequence × the query heads `[headStart, headStart +
 * headCount)`; it may span several documents and KV groups. A row sees the keys of its own document
 * at or before itself that lie in `[keyStart, keyStart + keyCount)`.
 */
export interface TilePlan {
  /** Name of the planner. */
  readonly planner: string;
  /** Workers R = poolSize · cp; worker `w`'s home is sequence `floor(w / cp)`. */
  readonly workers: number;
  readonly cp: number;
  readonly poolSize: number;
  readonly heads: AttentionHeads;
  /** Pipeline stages, equal on all workers; a worker's chunk may be empty. */
  readonly chunks: number;
  /** Tiles, sorted by (worker, chunk, sequence, headStart, rowStart, keyStart). */
  readonly count: number;
  readonly sequence: Int32Array;
  readonly headStart: Int32Array;
  readonly headCount: Int32Array;
  readonly rowStart: Int32Array;
  readonly rowCount: Int32Array;
  readonly keyStart: Int32Array;
  readonly keyCount: Int32Array;
  readonly worker: Int32Array;
  readonly chunk: Int32Array;
  /** Planning cost of each tile. */
  readonly cost: Float64Array;
  /** Input, kept so that a plan explains and replays itself. */
  readonly sequences: readonly Int32Array[];
  readonly owned: readonly OwnedRows[];
  readonly speed: Float64Array;
  readonly base: Float64Array;
  readonly nodes: NodeLayout;
  readonly ranks: readonly number[];
  /** Whether one (row, head) appears in several tiles with different keys, merged by log-sum-exp. */
  readonly keyRanges: boolean;
  /** Tolerance that the planner kept to; 0 where it has none. */
  readonly tolerance: number;
  /** Planning cost of each worker's tiles; sums to `total` exactly. */
  readonly loads: Float64Array;
  readonly total: number;
  /** Latest finish (base + load) ÷ speed over the finish of a perfect split: max ÷ mean. */
  readonly workerSkew: number;
  /** Least workerSkew that any answer of the same kind could reach. */
  readonly bound: number;
  /** Share (0..1) of the planning cost that runs outside its home group. */
  readonly moved: number;
  /** Least share that perfect balance has to move. */
  readonly leastMoved: number;
  /** Rows of a row block of the planning cost. */
  readonly rowBlock: number;
}

/** Makes tile plans; states its properties, so that shared code never asks which planner it is. */
export interface TilePlanner {
  readonly name: string;
  /** Ranks among which work moves. */
  readonly scope: "group" | "pool" | "world";
  /** Whether it cuts the rows of a head. */
  readonly splitsRows: boolean;
  /** Whether partial results over key ranges must be merged. */
  readonly needsKeyRanges: boolean;
  /** Tile planners never change the set of sequences of a step. */
  readonly changesStep: false;
  /**
   * Plans one micro-step of one pool: a pure function of its input.
   *
   * @throws LibraError `ARGUMENT` for bad input
   */
  plan(input: PoolInput): TilePlan;
}

/** Names of the columns of a tile table, in the order that the hash and the file format use. */
export const tileColumns = [
  "sequence",
  "headStart",
  "headCount",
  "rowStart",
  "rowCount",
  "keyStart",
  "keyCount",
  "worker",
  "chunk",
] as const;
