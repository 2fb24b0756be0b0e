import { arrivalPlacement } from "./arrival.js";
import { libraPlacement } from "./libra.js";
import { longestFirstPlacement } from "./longest-first.js";
import type { Placement } from "./types.js";

const makers = {
  libra: () => libraPlacement(),
  arrival: arrivalPlacement,
  longestFirst: longestFirstPlacement,
};

/** Names that `placement` accepts. */
export type PlacementName = keyof typeof makers;

export const placementNames = Object.keys(makers) as PlacementName[];

/** The strategy of that name with its defaults. */
export function placementByName(name: PlacementName): Placement {
  return makers[name]();
}
