import { balanceBins, type Items } from "./balance.js";
import { fillBins } from "./bins.js";
import { longestFirstSlots } from "./longest-first.js";
import { placeMicroSteps } from "./micro-steps.js";
import { binLoads, stepTime } from "./objective.js";
import { placePipeline } from "./pipeline-placement.js";
import { descending, gather } from "./sort.js";
import type { FixedPlacement, PlacementShape } from "./types.js";

/** Options of {@link libraPlacement}. */
export interface LibraPlacementOptions {
  /**
   * Comparisons of one search, as a multiple of N·log₂N with at least 200,000 at the default, 12.
   * Steps of up to 128 sequences that miss their bound are annealed with 250 × effort moves a
   * sequence.
   */
  readonly effort?: number;
}

const leastBudget = 200_000;
const defaultEffort = 12;

/**
 * Variance-reduced sequence placement (algorithms.md section 3): longest first into the lightest
 * bin with room, then improving swaps from the heaviest bin, for the objective of `sync`.
 */
export function libraPlacement(options: LibraPlacementOptions = {}): FixedPlacement {
  const { effort = defaultEffort } = options;
  return Object.freeze({
    name: "libra",
    changesStep: false,
    place: (weights: Float64Array, shape: PlacementShape) => place(weights, shape, effort),
  });
}

function place(weights: Float64Array, shape: PlacementShape, effort: number): Uint32Array {
  const order = descending(weights);
  const sorted = gather(weights, order);
  const count = weights.length;
  const items: Items = {
    weights,
    order,
    sorted,
    total: sum(sorted),
    budget: effort * Math.max(leastBudget / defaultEffort, count * Math.log2(count + 1)),
    moves: 250 * effort,
  };
  const slots = search(items, shape);
  const baseline = longestFirstSlots(weights, order, shape);
  const time = (table: Uint32Array) => stepTime(binLoads(table, weights, shape), shape);
  return tidy(time(baseline) < time(slots) ? baseline : slots, shape);
}

function search(items: Items, shape: PlacementShape): Uint32Array {
  const { microSteps, sync } = shape;
  if (sync === "pipeline") return placePipeline(items, shape);
  if (sync === "microStep" && microSteps > 1) return placeMicroSteps(items, shape);
  return placeStep(items, shape);
}

// Pools meet once a step: only the sum of a pool's M bins counts, so the pools are filled first
// and each pool's sequences are then spread over its own micro-steps.
function placeStep(items: Items, shape: PlacementShape): Uint32Array {
  const { pools, poolSize, microSteps } = shape;
  const size = poolSize * microSteps;
  const whole = balanceBins(items, pools, size);
  if (microSteps === 1) return whole.items;
  const slots = new Uint32Array(items.weights.length);
  for (let k = 0; k < pools; k++) {
    const own = whole.items.subarray(k * size, (k + 1) * size);
    const bins = fillBins(own, items.weights, microSteps, poolSize);
    for (let m = 0; m < microSteps; m++) {
      const bin = bins.items.subarray(m * poolSize, (m + 1) * poolSize);
      slots.set(bin, (m * pools + k) * poolSize);
    }
  }
  return slots;
}

// Inside a bin the order carries no meaning: ascending, so that a plan is easy to read.
function tidy(slots: Uint32Array, { poolSize }: PlacementShape): Uint32Array {
  if (poolSize > 1) {
    for (let at = 0; at < slots.length; at += poolSize) slots.subarray(at, at + poolSize).sort();
  }
  return slots;
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
