import { requireInteger, requireNumber, requireOneOf } from "@libra/base";

/** Options of the Libra planner. */
export interface LibraOptions {
  /** Allowed excess of a worker over its target, as a share; 0.01 by default. */
  readonly tolerance?: number;
  /** Where a head's rows may be cut: at any row block ("row", default) or never ("kvGroup"). */
  readonly granularity?: "row" | "kvGroup";
  /** Query heads of which rows are cut together; one KV group by default. */
  readonly headBlock?: number;
  /**
   * How home work and need are spread over the workers of a group that takes foreign work: evenly
   * ("spread", default), or first workers home and last workers foreign ("packed": fewer foreign
   * sequences, higher peaks of bytes and memory).
   */
  readonly fill?: "spread" | "packed";
  /** Pipeline stages; 4 by default. */
  readonly chunks?: number;
}

/** Options with their defaults filled in; `headBlock` 0 stands for one KV group. */
export type CheckedLibraOptions = Required<LibraOptions>;

/** Checks the options of the Libra planner; throws LibraError `ARGUMENT`. */
export function checkLibraOptions(options: LibraOptions): CheckedLibraOptions {
  return Object.freeze({
    tolerance: requireNumber(options.tolerance ?? 0.01, "tolerance", 0, 1),
    granularity: requireOneOf(options.granularity ?? "row", "granularity", ["row", "kvGroup"]),
    headBlock:
      options.headBlock === undefined ? 0 : requireInteger(options.headBlock, "headBlock", 1),
    fill: requireOneOf(options.fill ?? "spread", "fill", ["spread", "packed"]),
    chunks: requireInteger(options.chunks ?? 4, "chunks", 1, 1024),
  });
}
