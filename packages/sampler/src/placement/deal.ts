import type { PlacementShape } from "./types.js";

/**
 * Pools of P·M items to slots: a pool's items go to its micro-steps in turn.
 *
 * @param items - K pools of P·M items each, one pool after another
 * @returns slot → item
 */
export function slotsOfPools(items: Uint32Array, shape: PlacementShape): Uint32Array {
  const { pools, poolSize, microSteps } = shape;
  const size = poolSize * microSteps;
  const slots = new Uint32Array(items.length);
  for (let k = 0; k < pools; k++) {
    for (let i = 0; i < size; i++) {
      const microStep = i % microSteps;
      const replica = Math.floor(i / microSteps);
      slots[(microStep * pools + k) * poolSize + replica] = items[k * size + i]!;
    }
  }
  return slots;
}

/** How many bins of which size a plain strategy fills: pools under `step`, else micro-steps' bins. */
export function binsOf({ pools, poolSize, microSteps, sync }: PlacementShape): {
  count: number;
  size: number;
  wholePools: boolean;
} {
  return sync === "step"
    ? { count: pools, size: poolSize * microSteps, wholePools: true }
    : { count: pools * microSteps, size: poolSize, wholePools: false };
}
