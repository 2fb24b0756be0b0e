import { LibraError, requireInteger, requireNumber } from "@libra/base";
import { divisors, resolveOptions, type SamplerOptions } from "../options.js";
import { documentOrder, mixSeed, uniform } from "../order/document-order.js";
import { pack } from "../packing/pack.js";
import { arrivalSlots } from "../placement/arrival.js";
import { binLoads, stepBound, stepSkew } from "../placement/objective.js";
import { descending, gather } from "../placement/sort.js";
import type { PlacementShape } from "../placement/types.js";
import { allWorkloads } from "./all-workloads.js";
import { type ExchangeEstimate, type ExchangeOptions, estimateExchange } from "./exchange.js";
import { movedShare } from "./moved-share.js";

/** Options of {@link choosePoolSize}: a sampler's, and what a pool size is held to. */
export interface PoolSizeOptions extends Omit<SamplerOptions, "poolSize"> {
  /** Pool sizes to try; default: all divisors of dp. */
  readonly candidates?: readonly number[];
  /** Largest p95 of the step's skew that is good enough; default 1.02. */
  readonly target?: number;
  /** Steps drawn for each candidate; default 48. */
  readonly samples?: number;
  /** Adds exchange time and memory to each candidate. */
  readonly exchange?: ExchangeOptions;
}

/** What a pool size is expected to give. */
export interface PoolSizeCandidate {
  readonly poolSize: number;
  readonly pools: number;
  /** Of `stepSkew` over the drawn steps; under `pipeline` ÷ the bubble of equal micro-steps. */
  readonly mean: number;
  readonly p95: number;
  readonly worst: number;
  /** Mean of the bound, and of the skew in arrival order, in the same terms. */
  readonly bound: number;
  readonly arrival: number;
  /** Share of a pool's work above its replicas' even share: what at least moves between ranks. */
  readonly moved: number;
  readonly meetsTarget: boolean;
  readonly exchange?: ExchangeEstimate;
}

/** What {@link choosePoolSize} recommends, and why. */
export interface PoolSizeChoice {
  /** The smallest candidate that meets the target; absent when none does. */
  readonly recommended?: number;
  readonly target: number;
  /** One sentence: why this one, or what the best one reaches and what bounds it. */
  readonly reason: string;
  readonly candidates: readonly PoolSizeCandidate[];
}

/**
 * Recommends the smallest pool whose balance is good enough (algorithms.md section 2): for every
 * candidate a seeded bootstrap of steps (packed sequences of one epoch drawn with replacement), run
 * through the chosen placement, sync and microSteps.
 *
 * @throws LibraError ARGUMENT for a candidate that does not divide dp; UNSUPPORTED for a placement
 * that changes the step
 */
export function choosePoolSize(options: PoolSizeOptions): PoolSizeChoice {
  const target = requireNumber(options.target ?? 1.02, "target", 1);
  const samples = requireInteger(options.samples ?? 48, "samples", 1);
  const candidates = [...(options.candidates ?? divisors(options.dp))].sort((a, b) => a - b);
  const resolved = candidates.map((poolSize) => resolveOptions({ ...options, poolSize }));
  const { lengths, packing, cost, seed, placement } = resolved[0]!;
  if (placement.changesStep) {
    throw new LibraError(
      "UNSUPPORTED",
      `Placement ${placement.name} changes the step's documents, so drawn steps say nothing about it; choose libra or another that keeps them`,
    );
  }
  const order = documentOrder(lengths.length, 0, resolved[0]!);
  const workloads = allWorkloads(pack(lengths, order, packing), cost, packing.alignment);
  const measured = resolved.map(({ shape }) => {
    const result = measure(shape, (weights) => placement.place(weights, shape));
    const exchange =
      options.exchange &&
      estimateExchange(
        result.moved,
        packing.window,
        shape.poolSize,
        options.cp ?? 1,
        options.exchange,
      );
    return Object.freeze({ ...result, ...(exchange ? { exchange } : {}) });
  });
  const recommended = measured.find(({ meetsTarget }) => meetsTarget)?.poolSize;
  return Object.freeze({
    ...(recommended === undefined ? {} : { recommended }),
    target,
    reason: reasonFor(measured, target),
    candidates: Object.freeze(measured),
  });

  function measure(shape: PlacementShape, place: (weights: Float64Array) => Uint32Array) {
    const { pools, poolSize, microSteps, sync, stages } = shape;
    const bubble = sync === "pipeline" ? (microSteps + stages - 1) / microSteps : 1;
    const skews = new Float64Array(samples);
    let bound = 0;
    let arrival = 0;
    let moved = 0;
    for (let sample = 0; sample < samples; sample++) {
      const weights = drawStep(workloads, pools * poolSize * microSteps, mixSeed(seed, sample));
      const slots = place(weights);
      const loadsOf = (table: Uint32Array) => binLoads(table, weights, shape);
      skews[sample] = stepSkew(loadsOf(slots), shape) / bubble;
      bound += stepBound(gather(weights, descending(weights)), shape) / bubble / samples;
      arrival += stepSkew(loadsOf(arrivalSlots(weights.length)), shape) / bubble / samples;
      moved += movedShare(slots, weights, shape) / samples;
    }
    skews.sort();
    const p95 = quantile(skews, 0.95);
    return {
      poolSize,
      pools,
      mean: skews.reduce((a, b) => a + b, 0) / samples,
      p95,
      worst: skews[samples - 1]!,
      bound,
      arrival,
      moved,
      meetsTarget: p95 <= target,
    };
  }
}

function drawStep(workloads: Float64Array, count: number, seed: number): Float64Array {
  const random = uniform(seed);
  const weights = new Float64Array(count);
  for (let i = 0; i < count; i++) weights[i] = workloads[Math.floor(random() * workloads.length)]!;
  return weights;
}

/** Linear interpolation between the sorted values. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (at - low);
}

function reasonFor(candidates: readonly PoolSizeCandidate[], target: number): string {
  const chosen = candidates.find(({ meetsTarget }) => meetsTarget);
  if (chosen) {
    const { poolSize, p95 } = chosen;
    const exchange = poolSize === 1 ? "; replicas need no exchange between them" : "";
    return `A pool of ${poolSize} is the smallest with p95 skew ${p95.toFixed(4)} ≤ ${target}${exchange}.`;
  }
  const best = candidates.reduce((a, b) => (b.p95 < a.p95 ? b : a));
  return `No candidate has p95 skew ≤ ${target}: a pool of ${best.poolSize} comes closest with ${best.p95.toFixed(4)}, and no placement is below ${best.bound.toFixed(4)} in mean there.`;
}
