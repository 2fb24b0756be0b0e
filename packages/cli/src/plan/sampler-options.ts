import type { PlanningCost } from "@libra/cost-model";
import { choosePoolSize, type PoolSizeChoice, type SamplerOptions } from "@libra/sampler";
import type { PlanOptions } from "./plan-options.js";
import { readCost } from "./read-cost.js";

/** The sampler's options, and how the pool size among them was chosen where that was left to Libra. */
export interface ChosenOptions {
  sampler: SamplerOptions & { poolSize: number };
  /** The calibration profile's cost, where one is given. */
  cost?: PlanningCost;
  choice?: PoolSizeChoice;
}

/** What the command line says, in the sampler's words; the sampler's errors name what is wrong. */
export async function samplerOptions(
  lengths: Uint32Array,
  options: PlanOptions,
): Promise<ChosenOptions> {
  const { window, dp, microSteps, poolSize, cp, sync, stages, alignment, seed } = options;
  const cost = options.profile === undefined ? {} : { cost: await readCost(options.profile) };
  const given = {
    lengths,
    window: window!,
    dp,
    microSteps,
    cp,
    sync,
    ...(stages === undefined ? {} : { stages }),
    ...cost,
    alignment,
    seed,
    shuffle: options.shuffle,
    dropLast: options.dropLast,
    order: options.order as NonNullable<SamplerOptions["order"]>,
    packing: options.packing as NonNullable<SamplerOptions["packing"]>,
    overlong: options.overlong as NonNullable<SamplerOptions["overlong"]>,
    placement: options.placement as NonNullable<SamplerOptions["placement"]>,
  };
  if (poolSize !== "auto") return { sampler: { ...given, poolSize }, ...cost };
  const choice = choosePoolSize(given);
  return {
    sampler: { ...given, poolSize: choice.recommended ?? evenest(choice) },
    ...cost,
    choice,
  };
}

// Where none is good enough, the one that comes nearest; the smaller of equals.
function evenest({ candidates }: PoolSizeChoice): number {
  return candidates.reduce((best, one) => (one.p95 < best.p95 ? one : best)).poolSize;
}
