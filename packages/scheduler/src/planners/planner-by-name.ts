import { requireOneOf } from "@libra/base";
import { libra } from "../libra/libra.js";
import type { LibraOptions } from "../libra/libra-options.js";
import type { TilePlanner } from "../plan/tile-plan.js";
import { allGather } from "./all-gather.js";
import { type DisaggregatedOptions, disaggregated } from "./disaggregated.js";
import type { GroupOptions } from "./group-planner.js";
import { type MinHeapChunksOptions, minHeapChunks } from "./min-heap-chunks.js";
import { ring } from "./ring.js";
import { type TiledGreedyOptions, tiledGreedy } from "./tiled-greedy.js";
import { ulysses } from "./ulysses.js";
import { type PerDocumentOptions, perDocument, zigzag } from "./zigzag.js";

const planners = Object.freeze({
  ulysses,
  allGather,
  zigzag,
  perDocument,
  ring,
  minHeapChunks,
  // It refuses a tolerance that only the Libra planner knows.
  disaggregated: (options: PlannerOptions) => disaggregated(options as DisaggregatedOptions),
  tiledGreedy,
  libra,
});

/** Options of any planner; a planner reads its own. */
export type PlannerOptions = LibraOptions &
  GroupOptions &
  PerDocumentOptions &
  MinHeapChunksOptions &
  Omit<DisaggregatedOptions, "tolerance"> &
  TiledGreedyOptions;

/** Names that {@link plannerByName} knows. */
export const plannerNames = Object.freeze(Object.keys(planners)) as readonly PlannerName[];

/** The name of a planner. */
export type PlannerName = keyof typeof planners;

/**
 * The planner that a configuration names.
 *
 * @throws LibraError `ARGUMENT` that lists the valid names
 */
export function plannerByName(name: string, options: PlannerOptions = {}): TilePlanner {
  const makers: Record<PlannerName, (options: PlannerOptions) => TilePlanner> = planners;
  return makers[requireOneOf(name, "planner", plannerNames)](options);
}
