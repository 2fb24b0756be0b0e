import type { Sync } from "@libra/topology";

/**
 * Time of a step ÷ mean work of a rank, both in planning cost units: what waiting costs. Ranks of one
 * unit (a CP group, or a pool) wait for each other in every micro-step; units wait for each other once
 * a step, or in every micro-step when `sync` says so.
 *
 * @param loads - [micro-step][rank], ranks of a unit side by side
 * @param unitSize - ranks in a unit
 * @returns 1 when nobody waits; 1 for a step without work
 */
export function stepSkewOfRanks(
  loads: readonly ArrayLike<number>[],
  unitSize: number,
  sync: Sync,
): number {
  const ranks = loads[0]!.length;
  const units = ranks / unitSize;
  const time = new Float64Array(units);
  let together = 0;
  let total = 0;
  for (const load of loads) {
    let slowest = 0;
    for (let unit = 0; unit < units; unit += 1) {
      let most = 0;
      for (let rank = unit * unitSize; rank < (unit + 1) * unitSize; rank += 1) {
        most = Math.max(most, load[rank]!);
        total += load[rank]!;
      }
      time[unit]! += most;
      slowest = Math.max(slowest, most);
    }
    together += slowest;
  }
  if (total === 0) return 1;
  return ((sync === "step" ? Math.max(...time) : together) * ranks) / total;
}
