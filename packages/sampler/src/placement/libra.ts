import { type Bins, fillBins } from "./bins.js";
import { equalSizeBound } from "./bound.js";
import { levelled } from "./levels.js";
import { longestFirstSlots } from "./longest-first.js";
import { binLoads, stepTime } from "./objective.js";
import { schedulePools } from "./pipeline-order.js";
import { refineBins } from "./refine.js";
import { descending } from "./sort.js";
import type { Placement, PlacementShape } from "./types.js";

export interface LibraPlacementOptions {
  /**
   * Comparisons that improving swaps may take, as a multiple of N·log₂N with a floor that lets
   * small steps be solved to the last digit. Default 12.
   */
  readonly effort?: number;
}

// Close enough to the mean to stop at: a quarter of the 0.1 % that placement is held to.
const closeEnough = 1.00025;
const smallStep = 2_000_000;

/**
 * Variance-reduced sequence placement (algorithms.md section 3): longest first into the lightest
 * bin with room, then improving swaps from the heaviest bin, for the objective of `sync`.
 */
export function libraPlacement(options: LibraPlacementOptions = {}): Placement {
  const { effort = 12 } = options;
  return Object.freeze({
    name: "libra",
    changesStep: false,
    place: (weights: Float64Array, shape: PlacementShape) => placeLibra(weights, shape, effort),
  });
}

function placeLibra(weights: Float64Array, shape: PlacementShape, effort: number): Uint32Array {
  const order = descending(weights);
  const sorted = Float64Array.from(order, (item) => weights[item]!);
  const count = weights.length;
  const budget = Math.max(smallStep / 10, effort * count * Math.log2(count + 1));
  const problem: Problem = { weights, order, sorted, shape, budget };
  const slots =
    shape.sync === "pipeline"
      ? placePipeline(problem)
      : shape.sync === "microStep" && shape.microSteps > 1
        ? placeMicroSteps(problem)
        : placeStep(problem);
  const baseline = longestFirstSlots(weights, order, shape);
  const time = (table: Uint32Array) => stepTime(binLoads(table, weights, shape), shape);
  return tidy(time(baseline) < time(slots) ? baseline : slots, shape);
}

interface Problem {
  readonly weights: Float64Array;
  readonly order: Uint32Array;
  readonly sorted: Float64Array;
  readonly shape: PlacementShape;
  readonly budget: number;
}

function balanced(problem: Problem, count: number, size: number): Bins {
  const { weights, order, sorted, budget } = problem;
  const bins = fillBins(order, weights, count, size);
  refineBins(bins, target(sorted, count, size), budget);
  return bins;
}

function target(sorted: Float64Array, count: number, size: number): number {
  let total = 0;
  for (const weight of sorted) total += weight;
  return (Math.max(closeEnough, equalSizeBound(sorted, count, size)) * total) / count;
}

// Pools meet once a step: only the sum of a pool's M bins counts, so the pools are filled first
// and each pool's sequences are then spread over its own micro-steps.
function placeStep(problem: Problem): Uint32Array {
  const { pools, poolSize, microSteps } = problem.shape;
  const whole = balanced(problem, pools, poolSize * microSteps);
  if (microSteps === 1) return whole.items;
  const slots = new Uint32Array(problem.weights.length);
  const size = poolSize * microSteps;
  for (let k = 0; k < pools; k++) {
    const items = whole.items.subarray(k * size, (k + 1) * size);
    const bins = fillBins(items, problem.weights, microSteps, poolSize);
    for (let m = 0; m < microSteps; m++) {
      const bin = bins.items.subarray(m * poolSize, (m + 1) * poolSize);
      slots.set(bin, (m * pools + k) * poolSize);
    }
  }
  return slots;
}

// Pools meet at every micro-step: equal bins, or bins at levels where an outlier sets the level of
// its own micro-step and the others gain by it; whichever waits less.
function placeMicroSteps(problem: Problem): Uint32Array {
  const { weights, sorted, order, shape, budget } = problem;
  const { pools, poolSize, microSteps } = shape;
  const even = grouped(balanced(problem, pools * microSteps, poolSize));
  const levels = levelled(sorted, shape);
  if (!levels) return even;
  const start = new Float64Array(pools * microSteps);
  for (let b = 0; b < start.length; b++) start[b] = -levels[Math.floor(b / pools)]!;
  const bins = fillBins(order, weights, start.length, poolSize, start);
  refineBins(bins, 0, budget);
  for (let b = 0; b < start.length; b++) bins.loads[b] = bins.loads[b]! - start[b]!;
  const tiered = grouped(bins);
  const time = (table: Uint32Array) => stepTime(binLoads(table, weights, shape), shape);
  return time(tiered) < time(even) ? tiered : even;
}

/** Bins by descending load: for given bins, the grouping into micro-steps of least Σ maxima. */
function grouped(bins: Bins): Uint32Array {
  const slots = new Uint32Array(bins.items.length);
  const ranked = Uint32Array.from(bins.loads.keys()).sort(
    (a, b) => bins.loads[b]! - bins.loads[a]! || a - b,
  );
  for (let at = 0; at < ranked.length; at++) {
    const begin = ranked[at]! * bins.size;
    slots.set(bins.items.subarray(begin, begin + bins.size), at * bins.size);
  }
  return slots;
}

function placePipeline(problem: Problem): Uint32Array {
  const { pools, poolSize, microSteps } = problem.shape;
  return schedulePools(balanced(problem, pools * microSteps, poolSize), problem.shape);
}

// Inside a bin the order carries no meaning: ascending, so that a plan is easy to read.
function tidy(slots: Uint32Array, { poolSize }: PlacementShape): Uint32Array {
  if (poolSize > 1) {
    for (let at = 0; at < slots.length; at += poolSize) slots.subarray(at, at + poolSize).sort();
  }
  return slots;
}
