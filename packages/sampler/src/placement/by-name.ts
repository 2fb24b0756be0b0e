import { arrivalPlacement } from "./arrival.js";
import { karmarkarKarpPlacement } from "./karmarkar-karp.js";
import { libraPlacement } from "./libra.js";
import { longestFirstPlacement } from "./longest-first.js";
import { snakePlacement } from "./snake.js";
import type { Placement } from "./types.js";
import { wlbPlacement } from "./wlb.js";

/** Names that `placement` accepts. */
export const placementNames = [
  "libra",
  "arrival",
  "snake",
  "longestFirst",
  "karmarkarKarp",
  "wlb",
] as const;

/** One of {@link placementNames}. */
export type PlacementName = (typeof placementNames)[number];

const makers: Record<PlacementName, () => Placement> = {
  libra: () => libraPlacement(),
  arrival: arrivalPlacement,
  snake: snakePlacement,
  longestFirst: longestFirstPlacement,
  karmarkarKarp: karmarkarKarpPlacement,
  wlb: () => wlbPlacement(),
};

/** The strategy of that name with its defaults. */
export function placementByName(name: PlacementName): Placement {
  return makers[name]();
}
