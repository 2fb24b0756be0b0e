import { requireInteger, requireOneOf } from "@libra/base";

/** Where pools meet, and so which imbalance between them costs time. */
export type Sync = "step" | "microStep" | "pipeline";

/** What data parallelism shards: nothing, optimizer state, and gradients, and parameters (FSDP). */
export type Sharding = "none" | "zero1" | "zero2" | "zero3";

/** What decides where pools meet, for {@link syncOf}. */
export interface SyncOptions {
  /** Pipeline stages; default 1. */
  pp?: number;
  /** Default `none`. */
  sharding?: Sharding;
  /** Ranks `P × C` of a pool; default 1. */
  poolRanks?: number;
  /** Ranks that exchange tokens of one MoE layer's experts; default 1. */
  expertGroup?: number;
  /** Ranks that gather a parameter together under `zero3`; default: more than a pool. */
  shardGroup?: number;
}

/**
 * Where pools meet: `pipeline` when a step runs through stages; `microStep` when every micro-step
 * holds a collective wider than a pool (parameter gathers of ZeRO-3/FSDP, expert groups); else
 * `step`, at the optimizer.
 *
 * @throws LibraError `ARGUMENT` for sizes that are not positive integers or an unknown sharding
 */
export function syncOf(options: SyncOptions): Sync {
  const pp = requireInteger(options.pp ?? 1, "pp", 1);
  const sharding = requireOneOf(options.sharding ?? "none", "sharding", [
    "none",
    "zero1",
    "zero2",
    "zero3",
  ]);
  const poolRanks = requireInteger(options.poolRanks ?? 1, "poolRanks", 1);
  const expertGroup = requireInteger(options.expertGroup ?? 1, "expertGroup", 1);
  const shardGroup = requireInteger(options.shardGroup ?? poolRanks + 1, "shardGroup", 1);
  if (pp > 1) return "pipeline";
  const gathersWider = sharding === "zero3" && shardGroup > poolRanks;
  return gathersWider || expertGroup > poolRanks ? "microStep" : "step";
}
