import type { PlanningCost } from "@libra/cost-model";
import type { PackedEpoch } from "../packing/types.js";
import { sequenceWorkloads } from "../plan/build-plan.js";

// Sequences read at a time, and at most: plenty for a quantile, whatever the corpus.
const chunk = 4096;
const most = 262_144;

/** Workloads of an epoch's packed sequences, whole windows where there are any. */
export function allWorkloads(
  packed: PackedEpoch,
  cost: PlanningCost,
  alignment: number,
): Float64Array {
  const count = Math.min(most, packed.fullCount > 0 ? packed.fullCount : packed.count);
  const workloads = new Float64Array(count);
  for (let from = 0; from < count; from += chunk) {
    const segments = packed.segments(from, Math.min(from + chunk, count));
    workloads.set(sequenceWorkloads(segments, cost, alignment), from);
  }
  return workloads;
}
