import type { Sampler, StepPlan } from "@libra/sampler";
import { stepSkewOfRanks } from "./skew.js";

/**
 * Workloads of a step as they would lie without any balancing: sequences in the order in which they
 * arrived, each at home.
 *
 * @returns [micro-step][replica]
 */
export function arrivalLoads(plan: StepPlan): Float64Array[] {
  const { dp, microSteps, sequence, workload } = plan;
  const slots = Array.from(sequence.keys()).sort((a, b) => sequence[a]! - sequence[b]! || a - b);
  return Array.from({ length: microSteps }, (_, m) =>
    Float64Array.from({ length: dp }, (_, replica) => workload[slots[m * dp + replica]!]!),
  );
}

/** Skew of a step over replicas before balancing; what plain data parallel training would wait. */
export function arrivalSkewOf(plan: StepPlan): number {
  return stepSkewOfRanks(arrivalLoads(plan), 1, plan.sync);
}

/** How uneven a corpus is for given windows. */
export interface CorpusSkew {
  /** Sum over steps of the slowest replica's work ÷ sum of the mean's. */
  readonly skew: number;
  readonly steps: number;
}

const mostSteps = 1000;

/** Σmax ÷ Σmean over the steps of the first epoch (at most 1000), in arrival order. */
export function corpusSkew(sampler: Sampler): CorpusSkew {
  const steps = Math.min(sampler.stepsPerEpoch, mostSteps);
  let time = 0;
  let mean = 0;
  for (let step = 0; step < steps; step += 1) {
    const plan = sampler.plan(0, step);
    const work = plan.workload.reduce((sum, w) => sum + w, 0) / plan.dp;
    time += arrivalSkewOf(plan) * work;
    mean += work;
  }
  return { skew: mean === 0 ? 1 : time / mean, steps };
}
