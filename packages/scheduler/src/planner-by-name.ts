import { requireOneOf } from "@libra/base";
import { allGather } from "./all-gather.js";
import type { GroupOptions } from "./group-planner.js";
import { libra } from "./libra.js";
import type { LibraOptions } from "./libra-options.js";
import type { TilePlanner } from "./tile-plan.js";
import { ulysses } from "./ulysses.js";

const planners = { ulysses, allGather, libra };

/** Options of any planner; a planner reads its own. */
export type PlannerOptions = LibraOptions & GroupOptions;

/** Names that {@link plannerByName} knows. */
export const plannerNames = Object.freeze(Object.keys(planners)) as readonly PlannerName[];

export type PlannerName = keyof typeof planners;

/**
 * The planner that a configuration names.
 *
 * @throws LibraError `ARGUMENT` that lists the valid names
 */
export function plannerByName(name: string, options: PlannerOptions = {}): TilePlanner {
  return planners[requireOneOf(name, "planner", plannerNames)](options);
}
