import type { TilePlan } from "./tile-plan.js";

/** Index of the first tile of a worker, or of the next worker that has any. */
function firstTile(plan: TilePlan, worker: number): number {
  let low = 0;
  let high = plan.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (plan.worker[middle]! < worker) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tiles of a worker in the order of execution. */
export function workerTiles(plan: TilePlan, worker: number): Int32Array {
  const first = firstTile(plan, worker);
  const tiles = new Int32Array(firstTile(plan, worker + 1) - first);
  for (let i = 0; i < tiles.length; i++) tiles[i] = first + i;
  return tiles;
}

/** Tiles of one sequence on some workers, by worker in the given order, then by execution. */
export function sequenceTiles(
  plan: TilePlan,
  sequence: number,
  workers: readonly number[],
): Int32Array {
  const tiles: number[] = [];
  for (const worker of workers) {
    const end = firstTile(plan, worker + 1);
    for (let t = firstTile(plan, worker); t < end; t++) {
      if (plan.sequence[t] === sequence) tiles.push(t);
    }
  }
  return Int32Array.from(tiles);
}
