import { LibraError, requireOneOf } from "@libra/base";
import { coordinatesOf, type Layout } from "./layout.js";

/** An axis along which ranks form groups; `dp-cp` joins two, cp fastest. */
export type Axis = "tp" | "cp" | "dp" | "pp" | "dp-cp";

/** Every {@link Axis}. */
export const axes: readonly Axis[] = Object.freeze(["tp", "cp", "dp", "pp", "dp-cp"]);

/**
 * The groups of an axis: the ranks that differ on it only.
 *
 * @returns global ranks, ascending inside a group; groups by their first rank; together a partition
 *   of the world
 */
export function groupsOf(layout: Layout, axis: Axis): number[][] {
  requireOneOf(axis, "axis", axes);
  const varying = axis.split("-");
  const groups = new Map<string, number[]>();
  for (let rank = 0; rank < layout.world; rank++) {
    const { tp, cp, dp, pp } = coordinatesOf(layout, rank);
    const fixed = Object.entries({ tp, cp, dp, pp }).filter(([name]) => !varying.includes(name));
    const key = fixed.map(([, index]) => index).join();
    const group = groups.get(key);
    if (group) group.push(rank);
    else groups.set(key, [rank]);
  }
  return [...groups.values()];
}

/**
 * Rank inside a group: the place of a global rank in the group's list. Groups need not be
 * contiguous, so a global rank never stands for a group rank.
 *
 * @param ranks - global ranks of the group, in group order
 * @throws LibraError `LAYOUT` when the rank is no member
 */
export function groupRank(ranks: readonly number[], rank: number): number {
  const index = ranks.indexOf(rank);
  if (index >= 0) return index;
  throw new LibraError("LAYOUT", `Rank ${rank} is not in the group of ranks ${ranks.join(", ")}`, {
    details: { rank, ranks },
  });
}
