import { expected, LibraError, requireInteger, requireOneOf } from "@libra/base";
import { type PlanningCost, pairsCost } from "@libra/cost-model";
import type { Sync } from "@libra/topology";
import { toLengths } from "./lengths.js";
import type { OrderName } from "./order/document-order.js";
import type { OverlongPolicy, PackingName, PackingOptions } from "./packing/types.js";
import { type PlacementName, placementByName, placementNames } from "./placement/by-name.js";
import type { Placement, PlacementShape } from "./placement/types.js";

/** What a sampler is made from. Only `lengths`, `window` and `dp` have no default. */
export interface SamplerOptions {
  /** Tokens of each document. A Uint32Array is shared, not copied, and must not change. */
  readonly lengths: ArrayLike<number> | Uint32Array;
  /** Tokens of one packed sequence, at least 2: the hard cap of every packing. */
  readonly window: number;
  /** Replicas. */
  readonly dp: number;
  /** Packed sequences of every replica in one step; default 1. */
  readonly microSteps?: number;
  /** Replicas of a pool, a divisor of dp; default 1. */
  readonly poolSize?: number;
  /** Ranks that share one packed sequence; default 1. They all read the same plan. */
  readonly cp?: number;
  /** Where pools meet; default `step`. */
  readonly sync?: Sync;
  /** Pipeline stages; needed, and at least 2, with `sync: "pipeline"`. */
  readonly stages?: number;
  /** Backward ÷ forward time of a micro-step in the pipeline; default 2.5. */
  readonly backwardRatio?: number;
  /** Default 0. */
  readonly seed?: number;
  /** Default true; false keeps documents in the order of `lengths`. */
  readonly shuffle?: boolean;
  /** Default `libra`; `torch` shuffles as torch.randperm does, bit for bit. */
  readonly order?: OrderName;
  /** Default `concatSplit`. */
  readonly packing?: PackingName;
  /** Documents above the window; default `split`. */
  readonly overlong?: OverlongPolicy;
  /** Pads every segment to a multiple of this, a divisor of the window; default 1. */
  readonly alignment?: number;
  /** Documents that `bestFit` may reorder at a time; default 65,536. */
  readonly lookAhead?: number;
  /** A strategy's name or one of your own; default `libra`. */
  readonly placement?: PlacementName | Placement;
  /** Planning cost of a document, or a function of its length; default causal pairs. */
  readonly cost?: PlanningCost | ((length: number) => number);
  /**
   * Default true: an epoch has whole steps of whole windows only. False: the last step of an epoch
   * is filled up with fillers of weight 0.
   */
  readonly dropLast?: boolean;
}

/** Options after validation, with every default in place. */
export interface ResolvedOptions {
  readonly lengths: Uint32Array;
  readonly packing: PackingOptions;
  readonly shape: PlacementShape;
  readonly placement: Placement;
  readonly cost: PlanningCost;
  readonly seed: number;
  readonly shuffle: boolean;
  readonly order: OrderName;
  readonly dropLast: boolean;
}

/** Checks every option once; inside the package they are trusted. */
export function resolveOptions(options: SamplerOptions): ResolvedOptions {
  if (typeof options !== "object" || options === null) {
    throw expected("an object of sampler options", "options", options);
  }
  requireInteger(options.cp ?? 1, "cp", 1);
  return Object.freeze({
    lengths: toLengths(options.lengths),
    packing: resolvePacking(options),
    ...resolvePlacement(options),
    seed: requireInteger(options.seed ?? 0, "seed", 0),
    shuffle: requireBoolean(options.shuffle ?? true, "shuffle"),
    order: requireOneOf(options.order ?? "libra", "order", ["libra", "torch"]),
    dropLast: requireBoolean(options.dropLast ?? true, "dropLast"),
  });
}

/** Checks the options of packing. */
export function resolvePacking(
  options: Pick<SamplerOptions, "window" | "packing" | "overlong" | "alignment" | "lookAhead">,
): PackingOptions {
  const window = requireInteger(options.window, "window", 2, 2 ** 31 - 1);
  const alignment = requireInteger(options.alignment ?? 1, "alignment", 1);
  if (window % alignment !== 0) {
    throw expected(`a divisor of the window (${window})`, "alignment", alignment);
  }
  return Object.freeze({
    window,
    packing: requireOneOf(options.packing ?? "concatSplit", "packing", [
      "concatSplit",
      "bestFit",
      "sequential",
    ]),
    overlong: requireOneOf(options.overlong ?? "split", "overlong", [
      "split",
      "truncate",
      "drop",
      "error",
    ]),
    alignment,
    lookAhead: requireInteger(options.lookAhead ?? 65536, "lookAhead", 1, 2 ** 24),
  });
}

/** Checks the options of placement. */
export function resolvePlacement(
  options: Pick<
    SamplerOptions,
    "dp" | "microSteps" | "poolSize" | "sync" | "stages" | "backwardRatio" | "placement" | "cost"
  >,
): { shape: PlacementShape; placement: Placement; cost: PlanningCost } {
  const dp = requireInteger(options.dp, "dp", 1);
  const poolSize = requireInteger(options.poolSize ?? 1, "poolSize", 1);
  if (dp % poolSize !== 0) {
    const valid = divisors(dp);
    throw new LibraError(
      "ARGUMENT",
      `Expected a divisor of dp (${dp}) for poolSize but received ${poolSize}; valid: ${valid.join(", ")}`,
      { details: { dp, poolSize, valid } },
    );
  }
  const sync = requireOneOf(options.sync ?? "step", "sync", ["step", "microStep", "pipeline"]);
  const stages = requireInteger(options.stages ?? 1, "stages", sync === "pipeline" ? 2 : 1);
  const backwardRatio = options.backwardRatio ?? 2.5;
  if (!(backwardRatio > 0 && Number.isFinite(backwardRatio))) {
    throw expected("a positive number", "backwardRatio", backwardRatio);
  }
  const microSteps = requireInteger(options.microSteps ?? 1, "microSteps", 1);
  const shape = { pools: dp / poolSize, poolSize, microSteps, sync, stages, backwardRatio };
  const { placement = "libra", cost = pairsCost() } = options;
  return {
    shape: Object.freeze(shape),
    placement:
      typeof placement === "string"
        ? placementByName(requireOneOf(placement, "placement", placementNames))
        : placement,
    cost: typeof cost === "function" ? costOfFunction(cost) : cost,
  };
}

/** All divisors of a positive integer, ascending. */
export function divisors(value: number): number[] {
  const small: number[] = [];
  const large: number[] = [];
  for (let d = 1; d * d <= value; d++) {
    if (value % d !== 0) continue;
    small.push(d);
    if (d * d !== value) large.unshift(value / d);
  }
  return [...small, ...large];
}

function costOfFunction(cost: (length: number) => number): PlanningCost {
  const prefix = (length: number) => {
    const value = cost(length);
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
    throw expected("a non-negative number up to 2^53 − 1", `the cost of ${length} tokens`, value);
  };
  // Placement only asks for whole documents, so the one border besides 0 is the length.
  const rowNearest = (value: number, length: number) => (2 * value > prefix(length) ? length : 0);
  return Object.freeze({ name: "custom", rowBlock: 1, prefix, rowNearest });
}

function requireBoolean(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return value;
  throw expected("true or false", name, value);
}
