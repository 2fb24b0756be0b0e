import { LibraError, requireInteger, requireNumber, requireOneOf } from "@libra/base";
import { type ModelShape, type PlanningCost, pairsCost } from "@libra/cost-model";
import { createLayout, type Layout, type Sharding } from "@libra/topology";
import type { Cluster } from "./machine/cluster.js";
import { jitterFactors } from "./machine/jitter.js";
import type { Scenario } from "./scenario.js";
import { rankMemory } from "./step/memory.js";

/** What is trained, on what, in which layout. */
export interface ScenarioOptions {
  readonly model: ModelShape;
  readonly cluster: Cluster;
  /** Devices, `tp × cp × dp × pp`. */
  readonly gpus: number;
  /** Tokens of one packed sequence. */
  readonly window: number;
  /** Tensor parallelism; default 1. */
  readonly tp?: number;
  /** Context parallelism; default 1. */
  readonly cp?: number;
  /** Pipeline stages; default 1. */
  readonly pp?: number;
  /** Model parts of a stage (interleaved pipeline); default 1. */
  readonly parts?: number;
  /** Packed sequences of one optimizer step; default: one per replica and pipeline stage. */
  readonly globalBatch?: number;
  /** Ranks that share a layer's experts; default 1. */
  readonly expertParallel?: number;
  /** Default `zero1`: optimizer state sharded over all data- and context-parallel ranks. */
  readonly sharding?: Sharding;
  /**
   * `full` keeps only the layers' inputs and repeats forward, exchange included; `auto` (default)
   * does so where activations would not fit.
   */
  readonly recompute?: "auto" | "none" | "full";
  /** Whether gradients are reduced during backward; default true. */
  readonly overlapReduction?: boolean;
  /** Spread of the devices' speeds; default 0.07. */
  readonly jitter?: number;
  /** What planners balance; default: the cluster's calibrated cost where it has one, else pairs. */
  readonly cost?: PlanningCost;
  /** Bytes of one element of activations and parameters; default 2 (bf16). */
  readonly elementBytes?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * Checks a scenario.
 *
 * @throws LibraError `LAYOUT` with the equation and the valid values for axes that do not fit the
 *   devices, the model's layers, heads or experts, or the global batch; `ARGUMENT` for other values
 */
export function createScenario(options: ScenarioOptions): Scenario {
  const { model, cluster } = options;
  const gpus = requireInteger(options.gpus, "gpus", 1);
  const layout = createLayout({
    world: gpus,
    tp: options.tp ?? 1,
    cp: options.cp ?? 1,
    pp: options.pp ?? 1,
  });
  const { tp, cp, dp, pp } = layout;
  const parts = requireInteger(options.parts ?? 1, "parts", 1);
  const expertParallel = requireInteger(options.expertParallel ?? 1, "expertParallel", 1);
  requireDivides("tp", tp, "query heads", model.queryHeads);
  requireDivides("pp × parts", pp * parts, "layers", model.layers);
  if (parts > 1 && pp === 1) throw misfit("parts above 1 need a pipeline: pp is 1", [1]);
  if (expertParallel > 1) {
    requireDivides("expertParallel", expertParallel, "experts", model.experts);
    requireDivides("expertParallel", expertParallel, "cp × dp positions", cp * dp);
  }
  const batch = requireInteger(options.globalBatch ?? dp * pp, "globalBatch", 1);
  if (batch % dp !== 0) {
    const around = [Math.max(dp, batch - (batch % dp)), batch - (batch % dp) + dp];
    throw misfit(`globalBatch ${batch} is not a multiple of dp ${dp}`, [...new Set(around)]);
  }
  const heads = Object.freeze({
    queryHeads: model.queryHeads / tp,
    kvHeads: Math.max(1, Math.floor(model.kvHeads / tp)),
    headDim: model.headDim,
    valueDim: model.valueDim,
  });
  const seed = requireInteger(options.seed ?? 0, "seed", 0);
  const recompute = requireOneOf(options.recompute ?? "auto", "recompute", [
    "auto",
    "none",
    "full",
  ]);
  const timer = cluster.timer(heads);
  const scenario: Scenario = Object.freeze({
    model,
    cluster,
    layout,
    window: requireInteger(options.window, "window", 2, 2 ** 31 - 1),
    microSteps: batch / dp,
    parts,
    expertParallel,
    sharding: requireOneOf(options.sharding ?? "zero1", "sharding", [
      "none",
      "zero1",
      "zero2",
      "zero3",
    ]),
    recompute: recompute === "full" ? "full" : "none",
    overlapReduction: options.overlapReduction ?? true,
    elementBytes: requireNumber(options.elementBytes ?? 2, "elementBytes", 1, 8),
    seed,
    heads,
    timer,
    cost: options.cost ?? cluster.cost ?? pairsCost(timer.rowBlock),
    positions: cp * dp,
    slowness: slownessOf(layout, options.jitter ?? 0.07, seed),
  });
  if (recompute !== "auto") return scenario;
  const tokens = Math.ceil(scenario.window / cp);
  if (rankMemory(scenario, { tokens, remoteBytes: 0 }).fits) return scenario;
  return Object.freeze({ ...scenario, recompute: "full" });
}

// Tensor-parallel ranks of a position wait for each other in every layer: the slowest counts.
function slownessOf(layout: Layout, spread: number, seed: number): Float64Array {
  const factors = jitterFactors(layout.world, { spread, seed });
  return Float64Array.from({ length: layout.world / layout.tp }, (_, position) => {
    let slowest = 1;
    for (let t = 0; t < layout.tp; t++) {
      slowest = Math.max(slowest, factors[position * layout.tp + t]!);
    }
    return slowest;
  });
}

function requireDivides(name: string, value: number, what: string, total: number): void {
  if (value <= total && total % value === 0) return;
  const valid: number[] = [];
  for (let i = 1; i <= total; i++) if (total % i === 0) valid.push(i);
  throw misfit(`${name} ${value} does not divide the ${total} ${what}`, valid);
}

function misfit(problem: string, valid: readonly number[]): LibraError {
  const shown = valid.length > 12 ? [...valid.slice(0, 12), "…"] : valid;
  return new LibraError("LAYOUT", `${problem}; valid: ${shown.join(", ")}`, { details: { valid } });
}
