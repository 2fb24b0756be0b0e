import { LibraError } from "@libra/base";
import type { StepPlan } from "../plan/step-plan.js";

/** What all steps of one plan file share. */
export interface PlanHeader {
  window: number;
  dp: number;
  microSteps: number;
  poolSize: number;
  sync: StepPlan["sync"];
  placement: string;
  alignment: number;
  /** XXH64 of the corpus's lengths, as `lengthsFingerprint` gives it; null where not said. */
  fingerprint: string | null;
}

/** Steps of one plan, in order. */
export type Plans = Iterable<StepPlan> | AsyncIterable<StepPlan>;

/** Version of both plan files' layout. */
export const planFileVersion = 1;

const shared = [
  "window",
  "dp",
  "microSteps",
  "poolSize",
  "sync",
  "placement",
  "alignment",
] as const;

/** The header that a plan's file has. */
export function headerOf(plan: StepPlan, fingerprint: string | undefined): PlanHeader {
  const { window, dp, microSteps, poolSize, sync, placement, alignment } = plan;
  return {
    window,
    dp,
    microSteps,
    poolSize,
    sync,
    placement,
    alignment,
    fingerprint: fingerprint ?? null,
  };
}

/** @throws LibraError `PLAN` when a step differs in shape from the file's first */
export function requireSameShape(plan: StepPlan, header: PlanHeader): void {
  for (const name of shared) {
    if (plan[name] === header[name]) continue;
    throw new LibraError(
      "PLAN",
      `Step ${plan.step} of epoch ${plan.epoch} has ${name} ${plan[name]}, but the file's first step has ${header[name]}; write one file for each configuration`,
    );
  }
}

/** The error for a file without a single step. */
export function noSteps(path: string): LibraError {
  return new LibraError("PLAN", `${path}: there is no step to write`, { details: { path } });
}
