import { drawer, fine } from "./anneal.js";
import type { Items } from "./balance.js";
import type { Pipeline } from "./pipeline.js";
import type { PlacementShape } from "./types.js";

const largestStep = 128;
// A makespan costs some ten times what a sum does, so these moves are a tenth of those.
const movesShare = 0.1;
const hot = 0.05;
const cold = 2e-4;

/**
 * Simulated annealing over swaps of any two slots for the largest makespan of a pool; steps above
 * 128 sequences come back as they are.
 *
 * @param slots - slot → item
 * @param goal - makespan to stop at
 */
export function annealPools(
  slots: Uint32Array,
  { weights, moves, total }: Items,
  shape: PlacementShape,
  pipeline: Pipeline,
  goal: number,
): Uint32Array {
  const { pools, poolSize, microSteps } = shape;
  const count = slots.length;
  if (count > largestStep) return slots;
  const draw = drawer(1);
  const current = slots.slice();
  // times[pool] of the pool's micro-steps.
  const times = Array.from({ length: pools }, () => new Float64Array(microSteps));
  const binOf = (slot: number) => Math.floor(slot / poolSize);
  for (let slot = 0; slot < count; slot++) {
    const bin = binOf(slot);
    times[bin % pools]![Math.floor(bin / pools)]! += weights[current[slot]!]!;
  }
  const makespans = Float64Array.from(times, (own) => pipeline.makespan(own));
  let largest = Math.max(...makespans);
  let least = largest;
  let best = slots;
  const trials = Math.round(moves * movesShare * count);
  const cooling = (cold / hot) ** (1 / Math.max(1, trials));
  let temperature = (hot * total) / pools;
  for (let n = 0; n < trials && least > goal; n++, temperature *= cooling) {
    const a = draw(count);
    const b = draw(count);
    const moved = weights[current[a]!]! - weights[current[b]!]!;
    if (moved === 0 || binOf(a) === binOf(b)) continue;
    const poolA = binOf(a) % pools;
    const poolB = binOf(b) % pools;
    const before = [makespans[poolA]!, makespans[poolB]!];
    move(a, b, moved);
    makespans[poolA] = pipeline.makespan(times[poolA]!);
    makespans[poolB] = pipeline.makespan(times[poolB]!);
    const after = Math.max(...makespans);
    if (after > largest && draw(fine) >= fine * Math.exp((largest - after) / temperature)) {
      move(a, b, -moved);
      makespans[poolA] = before[0]!;
      makespans[poolB] = before[1]!;
      continue;
    }
    largest = after;
    const item = current[a]!;
    current[a] = current[b]!;
    current[b] = item;
    if (largest < least * (1 - 1e-9)) {
      least = largest;
      best = current.slice();
    }
  }
  return best;

  function move(from: number, to: number, weight: number): void {
    const binA = binOf(from);
    const binB = binOf(to);
    times[binA % pools]![Math.floor(binA / pools)]! -= weight;
    times[binB % pools]![Math.floor(binB / pools)]! += weight;
  }
}
