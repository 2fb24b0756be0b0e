import type { TrainConfig } from "./schema.js";

const mostByDefault = 8;

/**
 * Replicas that share attention: as configured, else the largest divisor of dp up to 8. A pool's size
 * does not follow dp: more replicas make more pools, not larger ones.
 */
export function poolSizeOf({ batch, layout }: TrainConfig): number {
  if (batch.poolSize !== undefined) return batch.poolSize;
  let size = Math.min(layout.dp, mostByDefault);
  while (layout.dp % size !== 0) size -= 1;
  return size;
}
