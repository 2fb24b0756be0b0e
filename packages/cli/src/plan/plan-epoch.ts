import type { Sampler, StepPlan } from "@libra/sampler";
import type { Io } from "../io.js";
import { progressOf } from "./progress.js";

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
