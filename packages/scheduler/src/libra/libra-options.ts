import { expected, requireInteger, requireNumber, requireOneOf } from "@libra/base";
import { requireLinks } from "@libra/cost-model";
import type { TimelineOptions } from "../report/timeline.js";

/** Options of the Libra planner. */
export interface LibraOptions {
  /**
   * Allowed excess of a worker over its target, as a share; 0.01 by default. "auto" keeps, of a short
   * list, the tolerance whose predicted time is least, so that a slow network moves less.
   */
  readonly tolerance?: number | "auto";
  /** What "auto" predicts with. */
  readonly timing?: TimelineOptions;
  /** Where a head's rows may be cut: at any row block ("row", default) or never ("kvGroup"). */
  readonly granularity?: "row" | "kvGroup";
  /**
   * What leaves a group with too much work: the last heads of all its rows ("heads", default), or its
   * longest documents ("documents"), which need fewest bytes for their work; the rest then stays
   * with the workers of the node that owns it. Documents that few workers own leave through few
   * links, so "documents" wants `stripedRows` of `@libra/topology`.
   */
  readonly surplus?: "heads" | "documents";
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
  /**
   * Most query rows × heads that a worker may hold; no limit by default. Where the tolerance would
   * break it, less work moves; a pool that cannot meet it at all is an error.
   */
  readonly heldCap?: number;
}

/** Options with their defaults filled in. */
export interface CheckedLibraOptions {
  readonly tolerance: number | "auto";
  readonly timing: TimelineOptions | null;
  readonly granularity: "row" | "kvGroup";
  readonly surplus: "heads" | "documents";
  /** 0 stands for one KV group. */
  readonly headBlock: number;
  readonly fill: "spread" | "packed";
  readonly chunks: number;
  readonly heldCap: number;
}

/** Checks the options of the Libra planner; throws LibraError `ARGUMENT`. */
export function checkLibraOptions(options: LibraOptions): CheckedLibraOptions {
  const { tolerance = 0.01, timing } = options;
  if (tolerance === "auto") {
    if (timing === undefined) throw expected("links and a timer", "timing", timing);
    requireLinks(timing.links, "timing.links");
  } else requireNumber(tolerance, "tolerance", 0, 1);
  return Object.freeze({
    tolerance,
    timing: timing ?? null,
    granularity: requireOneOf(options.granularity ?? "row", "granularity", ["row", "kvGroup"]),
    surplus: requireOneOf(options.surplus ?? "heads", "surplus", ["heads", "documents"]),
    headBlock:
      options.headBlock === undefined ? 0 : requireInteger(options.headBlock, "headBlock", 1),
    fill: requireOneOf(options.fill ?? "spread", "fill", ["spread", "packed"]),
    chunks: requireInteger(options.chunks ?? 4, "chunks", 1, 1024),
    heldCap:
      options.heldCap === undefined
        ? Number.POSITIVE_INFINITY
        : requireNumber(options.heldCap, "heldCap", 1),
  });
}
