import type { Items } from "./balance.js";
import type { Pipeline } from "./pipeline.js";
import type { PlacementShape } from "./types.js";

/**
 * Swaps sequences between the micro-steps of the slowest pool while its makespan falls, then of the
 * pool that is slowest then; ends at a pool that no swap helps, or with the budget.
 *
 * @param slots - slot → item; changed in place and returned
 */
export function polishPools(
  slots: Uint32Array,
  items: Items,
  shape: PlacementShape,
  pipeline: Pipeline,
): Uint32Array {
  const { pools, poolSize, microSteps } = shape;
  const { weights } = items;
  const makespans = new Float64Array(pools);
  const times = new Float64Array(microSteps);
  for (let k = 0; k < pools; k++) {
    readTimes(k);
    makespans[k] = pipeline.makespan(times);
  }
  let left = items.budget;
  const price = 2 * microSteps * pipeline.stages;
  while (left > 0) {
    let worst = 0;
    for (let k = 1; k < pools; k++) if (makespans[k]! > makespans[worst]!) worst = k;
    left -= pools;
    if (!improve(worst)) break;
  }
  return slots;

  function readTimes(k: number): void {
    for (let m = 0; m < microSteps; m++) {
      const begin = (m * pools + k) * poolSize;
      let time = 0;
      for (let i = begin; i < begin + poolSize; i++) time += weights[slots[i]!]!;
      times[m] = time;
    }
  }

  // The first swap that helps.
  function improve(k: number): boolean {
    readTimes(k);
    for (let a = 0; a < microSteps; a++) {
      for (let b = a + 1; b < microSteps; b++) {
        const timeA = times[a]!;
        const timeB = times[b]!;
        for (let n = 0; n < poolSize * poolSize && left > 0; n++) {
          const i = (a * pools + k) * poolSize + Math.floor(n / poolSize);
          const j = (b * pools + k) * poolSize + (n % poolSize);
          const moved = weights[slots[i]!]! - weights[slots[j]!]!;
          if (moved === 0) continue;
          times[a] = timeA - moved;
          times[b] = timeB + moved;
          left -= price;
          const makespan = pipeline.makespan(times);
          if (makespan < makespans[k]! * (1 - 1e-9)) {
            makespans[k] = makespan;
            const item = slots[i]!;
            slots[i] = slots[j]!;
            slots[j] = item;
            return true;
          }
        }
        times[a] = timeA;
        times[b] = timeB;
      }
    }
    return false;
  }
}
