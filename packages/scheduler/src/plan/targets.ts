import type { SequenceLines } from "./sequence-lines.js";

/**
 * Target planning cost of each worker: `τ_r = max(0, λ·speed_r − base_r)` with λ such that the
 * targets sum to the pool's total.
 *
 * @param targets - output, one per worker
 * @param order - scratch, one per worker
 * @returns λ, the finish time of a perfect split
 */
export function fillTargets(
  lines: SequenceLines,
  targets: Float64Array,
  order: Int32Array,
): number {
  const { workers, total } = lines;
  const { speed, base } = lines.input;
  if (base === undefined) {
    let speeds = 0;
    for (let w = 0; w < workers; w++) speeds += speed === undefined ? 1 : speed[w]!;
    const level = total / speeds;
    for (let w = 0; w < workers; w++) targets[w] = speed === undefined ? level : level * speed[w]!;
    return level;
  }
  // Workers join in the order in which their base alone would finish; λ is the level at which the
  // joined workers hold the total and the next one would still be below its base.
  const ready = (w: number) => base[w]! / (speed === undefined ? 1 : speed[w]!);
  for (let w = 0; w < workers; w++) order[w] = w;
  order.subarray(0, workers).sort((a, b) => ready(a) - ready(b) || a - b);
  let level = 0;
  let speeds = 0;
  let held = total;
  for (let i = 0; i < workers; i++) {
    const w = order[i]!;
    speeds += speed === undefined ? 1 : speed[w]!;
    held += base[w]!;
    level = held / speeds;
    if (i + 1 === workers || level <= ready(order[i + 1]!)) break;
  }
  for (let w = 0; w < workers; w++) {
    targets[w] = Math.max(0, level * (speed === undefined ? 1 : speed[w]!) - base[w]!);
  }
  return level;
}
