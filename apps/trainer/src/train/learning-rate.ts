import type { OptimizerConfig } from "../config/schema.js";

/**
 * Linear warm-up, then constant: step `s` (from 0) of `warmupSteps` W gets (s + 1) / W of the rate. It
 * depends on nothing but the step, so a resumed run goes on with the same rates.
 */
export function learningRateAt(optimizer: OptimizerConfig, step: number): number {
  const { learningRate, warmupSteps } = optimizer;
  return step < warmupSteps ? (learningRate * (step + 1)) / warmupSteps : learningRate;
}
