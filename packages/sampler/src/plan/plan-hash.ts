import { xxh64 } from "@libra/base";
import type { StepPlan } from "./step-plan.js";

/**
 * XXH64 over the little-endian columns of a step plan, its shape included: equal on every rank
 * that planned the same step, so ranks compare it before they trust each other.
 *
 * @returns 16 hexadecimal digits
 */
export function planHash(plan: StepPlan): string {
  const { epoch, step, window, dp, microSteps, poolSize, alignment } = plan;
  return xxh64([
    Float64Array.of(epoch, step, window, dp, microSteps, poolSize, alignment),
    plan.sequence,
    plan.weight,
    plan.segmentOffsets,
    plan.segmentDocument,
    plan.segmentStart,
    plan.segmentLength,
    plan.workload,
  ]);
}
