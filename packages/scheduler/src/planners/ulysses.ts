import type { TilePlanner } from "../plan/tile-plan.js";
import { evenPart, type GroupOptions, groupPlanner, type Part } from "./group-planner.js";

/**
 * Ulysses (DeepSpeed): the heads of a sequence are split inside its group, every worker sees all
 * rows. Whole KV groups while there are enough; with more ranks than KV heads query heads are split
 * and KV heads replicated; ranks beyond the query heads get no tile.
 */
export function ulysses(options: GroupOptions = {}): TilePlanner {
  return groupPlanner(
    {
      name: "ulysses",
      splitsRows: false,
      parts(lines, s) {
        const { queryHeads, kvHeads } = lines.heads;
        const { cp } = lines.input;
        const units = cp <= kvHeads ? kvHeads : queryHeads;
        const width = queryHeads / units;
        return Array.from({ length: cp }, (_, cpIndex): Part[] => {
          const [start, end] = evenPart(units, cp, cpIndex);
          return [[start * width, end * width, 0, lines.rows(s)]];
        });
      },
      leastLoad(lines, s) {
        return lines.headCost(s) * Math.ceil(lines.heads.queryHeads / lines.input.cp);
      },
    },
    options,
  );
}
