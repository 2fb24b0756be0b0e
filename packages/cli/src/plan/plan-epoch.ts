import { createSampler, type Sampler, type SamplerOptions, type StepPlan } from "@libra/sampler";
import type { Io } from "../io.js";
import type { PlanOptions } from "./plan-options.js";
import { progressOf } from "./progress.js";
import { readCost } from "./read-cost.js";

/** A sampler as the options say; its errors name what is wrong with them. */
export async function samplerOf(lengths: Uint32Array, options: PlanOptions): Promise<Sampler> {
  const { window, dp, microSteps, poolSize, cp, sync, stages, alignment, seed } = options;
  return createSampler({
    lengths,
    window: window!,
    dp,
    microSteps,
    poolSize,
    cp,
    sync,
    ...(stages === undefined ? {} : { stages }),
    ...(options.profile === undefined ? {} : { cost: await readCost(options.profile) }),
    alignment,
    seed,
    shuffle: options.shuffle,
    dropLast: options.dropLast,
    order: options.order as NonNullable<SamplerOptions["order"]>,
    packing: options.packing as NonNullable<SamplerOptions["packing"]>,
    overlong: options.overlong as NonNullable<SamplerOptions["overlong"]>,
    placement: options.placement as NonNullable<SamplerOptions["placement"]>,
  });
}

/**
 * The next plans of the epoch that the sampler stands in, each shown to `observe` as it passes. A
 * placement that delays documents may have fewer steps than the epoch has room for.
 */
export function* planEpoch(
  sampler: Sampler,
  epoch: number,
  steps: number,
  observe: (plan: StepPlan) => void,
  io: Io,
): Generator<StepPlan> {
  const progress = progressOf("steps", io);
  try {
    for (let step = 0; step < steps; step++) {
      const plan = sampler.next();
      if (plan.epoch !== epoch) return;
      observe(plan);
      yield plan;
      progress.update(step + 1, steps);
    }
  } finally {
    progress.stop();
  }
}
