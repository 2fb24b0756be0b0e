import { requireInteger } from "@libra/base";
import { aligned } from "../packing/types.js";
import type { StepPlan } from "./step-plan.js";

/**
 * Borders of the documents in one slot's packed sequence: `[0, …, rows]`, padded to the plan's
 * alignment; `[0]` for a filler.
 */
export function cuSeqlensOf(plan: StepPlan, slot: number): Int32Array {
  requireInteger(slot, "slot", 0, plan.sequence.length - 1);
  const from = plan.segmentOffsets[slot]!;
  const to = plan.segmentOffsets[slot + 1]!;
  const borders = new Int32Array(to - from + 1);
  for (let i = from; i < to; i++) {
    borders[i - from + 1] = borders[i - from]! + aligned(plan.segmentLength[i]!, plan.alignment);
  }
  return borders;
}
