import type { PlanningCost } from "@libra/cost-model";
import type { SegmentTable } from "../../packing/types.js";
import type { FixedPlacement, PlacementShape } from "../../placement/types.js";
import { buildPlan } from "../../plan/build-plan.js";

/** Adds the segments of the sample at one position of the present order. */
export type AddSegments = (
  position: number,
  add: (document: number, start: number, length: number) => void,
) => void;

export interface PlaceOptions {
  shape: PlacementShape;
  placement: FixedPlacement;
  cost: PlanningCost;
  window: number;
  /** Samples that training has consumed: their order stays. */
  consumed: number;
  onProgress?: (batches: number, total: number) => void;
}

/** Mean and worst skew over the global batches. */
export interface SkewSummary {
  mean: number;
  worst: number;
}

export interface PlacedOrder {
  /** New position → position in the present order. */
  order: Float64Array;
  batches: number;
  /** Samples after the last whole global batch, which stay in place. */
  left: number;
  before: SkewSummary;
  after: SkewSummary;
  bound: SkewSummary;
}

/**
 * Places the samples of each global batch: position `slot` of batch g takes one of g's samples, so
 * that each batch keeps its set. A slot is microStep · (dp · microBatch) + replica · microBatch + j,
 * which is how Megatron's sequential sampler deals a batch to its replicas.
 */
export function placeInBatches(
  count: number,
  segmentsOf: AddSegments,
  options: PlaceOptions,
): PlacedOrder {
  const { shape, consumed, window } = options;
  const size = shape.pools * shape.poolSize * shape.microSteps;
  const order = Float64Array.from({ length: count }, (_, i) => i);
  const batches = Math.floor((count - consumed) / size);
  const skews = { before: [] as number[], after: [] as number[], bound: [] as number[] };
  const context = { ...options, window, alignment: 1 };
  for (let batch = 0; batch < batches; batch++) {
    const first = consumed + batch * size;
    const segments = segmentTable(first, size, segmentsOf);
    const plan = buildPlan({ epoch: 0, step: batch, first, segments }, context);
    for (let slot = 0; slot < size; slot++) order[first + slot] = plan.sequence[slot]!;
    skews.before.push(plan.arrivalSkew);
    skews.after.push(plan.stepSkew);
    skews.bound.push(plan.bound);
    options.onProgress?.(batch + 1, batches);
  }
  return {
    order,
    batches,
    left: count - consumed - batches * size,
    before: summary(skews.before),
    after: summary(skews.after),
    bound: summary(skews.bound),
  };
}

function segmentTable(first: number, size: number, segmentsOf: AddSegments): SegmentTable {
  const offsets = new Uint32Array(size + 1);
  const document: number[] = [];
  const start: number[] = [];
  const length: number[] = [];
  for (let i = 0; i < size; i++) {
    segmentsOf(first + i, (...segment) => {
      document.push(segment[0]);
      start.push(segment[1]);
      length.push(segment[2]);
    });
    offsets[i + 1] = document.length;
  }
  return {
    offsets,
    document: Uint32Array.from(document),
    start: Uint32Array.from(start),
    length: Uint32Array.from(length),
  };
}

function summary(values: readonly number[]): SkewSummary {
  if (values.length === 0) return { mean: 1, worst: 1 };
  let sum = 0;
  let worst = 1;
  for (const value of values) {
    sum += value;
    worst = Math.max(worst, value);
  }
  return { mean: sum / values.length, worst };
}
