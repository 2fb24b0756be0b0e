import type { PlanningCost } from "@libra/cost-model";
import { aligned, type SegmentTable } from "../packing/types.js";
import { measurePlacement } from "../placement/measure.js";
import type { FixedPlacement, PlacementShape, RepackedStep } from "../placement/types.js";
import { noSequence, type StepPlan } from "./step-plan.js";

/** What a plan is made of, besides the sequences themselves. */
export interface PlanContext {
  readonly shape: PlacementShape;
  readonly placement: FixedPlacement;
  readonly cost: PlanningCost;
  readonly window: number;
  readonly alignment: number;
}

/** Packed sequences of one step in arrival order; slots beyond them are fillers. */
export interface StepSequences {
  readonly epoch: number;
  readonly step: number;
  /** Index of the first sequence in the epoch's order; the others follow it. */
  readonly first: number;
  readonly segments: SegmentTable;
  /** Name of the strategy that packed the step anew, and its report. */
  readonly placement?: string;
  readonly repacked?: RepackedStep;
}

/** Places one step's sequences and joins everything into a frozen plan. */
export function buildPlan(sequences: StepSequences, context: PlanContext): StepPlan {
  const { shape, placement, cost, window, alignment } = context;
  const { pools, poolSize, microSteps, sync } = shape;
  const { segments, first, epoch, step, repacked } = sequences;
  const slotCount = pools * poolSize * microSteps;
  const present = segments.offsets.length - 1;
  const weights = new Float64Array(slotCount);
  weights.set(sequenceWorkloads(segments, cost, alignment));
  const slots = placement.place(weights, shape);
  const sequence = new Uint32Array(slotCount);
  const weight = new Uint8Array(slotCount);
  const workload = new Float64Array(slotCount);
  for (let slot = 0; slot < slotCount; slot++) {
    const item = slots[slot]!;
    const real = item < present && !(repacked && isEmpty(segments, item));
    sequence[slot] = real ? first + item : noSequence;
    weight[slot] = real ? 1 : 0;
    workload[slot] = weights[item]!;
  }
  const { poolSkew, stepSkew, arrivalSkew, bound } = measurePlacement(slots, weights, shape);
  const columns = inSlotOrder(segments, slots, present);
  let tokens = 0;
  for (let i = 0; i < columns.length.length; i++) tokens += columns.length[i]!;
  return Object.freeze({
    epoch,
    step,
    window,
    dp: pools * poolSize,
    microSteps,
    poolSize,
    sync,
    placement: sequences.placement ?? placement.name,
    alignment,
    sequence,
    weight,
    segmentOffsets: columns.offsets,
    segmentDocument: columns.document,
    segmentStart: columns.start,
    segmentLength: columns.length,
    workload,
    poolSkew,
    stepSkew,
    arrivalSkew,
    bound,
    tokens,
    targets: tokens - segments.length.length,
    ...(repacked ? { repacked } : {}),
  });
}

// A repacking strategy may leave a sequence without documents.
function isEmpty({ offsets }: SegmentTable, item: number): boolean {
  return offsets[item + 1] === offsets[item];
}

/** Planning cost of each packed sequence, after padding. */
export function sequenceWorkloads(
  segments: SegmentTable,
  cost: PlanningCost,
  alignment: number,
): Float64Array {
  const { offsets, length } = segments;
  const workloads = new Float64Array(offsets.length - 1);
  for (let s = 0; s < workloads.length; s++) {
    let sum = 0;
    const end = offsets[s + 1]!;
    for (let i = offsets[s]!; i < end; i++) sum += cost.prefix(aligned(length[i]!, alignment));
    workloads[s] = sum;
  }
  return workloads;
}

function inSlotOrder(segments: SegmentTable, slots: Uint32Array, present: number): SegmentTable {
  const { offsets, document, start, length } = segments;
  const newOffsets = new Uint32Array(slots.length + 1);
  const newDocument = new Uint32Array(document.length);
  const newStart = new Uint32Array(document.length);
  const newLength = new Uint32Array(document.length);
  let at = 0;
  for (let slot = 0; slot < slots.length; slot++) {
    const item = slots[slot]!;
    if (item < present) {
      const end = offsets[item + 1]!;
      for (let i = offsets[item]!; i < end; i++, at++) {
        newDocument[at] = document[i]!;
        newStart[at] = start[i]!;
        newLength[at] = length[i]!;
      }
    }
    newOffsets[slot + 1] = at;
  }
  return { offsets: newOffsets, document: newDocument, start: newStart, length: newLength };
}
