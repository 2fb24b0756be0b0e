import type { TilePlanner } from "../plan/tile-plan.js";
import { addRows, evenShare, type GroupOptions, groupPlanner, type Part } from "./group-planner.js";

/**
 * All-gather of keys and values: every rank computes its own owned rows for all heads, so queries
 * and outputs never travel. Balance is that of the owned rows (contiguous, zigzag, any).
 */
export function allGather(options: GroupOptions = {}): TilePlanner {
  return groupPlanner(
    {
      name: "allGather",
      splitsRows: true,
      parts(lines, s) {
        const owned = lines.input.owned[s]!;
        return Array.from({ length: owned.cp }, (_, cpIndex) => {
          const parts: Part[] = [];
          for (let i = owned.offsets[cpIndex]!; i < owned.offsets[cpIndex + 1]!; i++) {
            addRows(parts, lines.heads.queryHeads, owned.starts[i]!, owned.ends[i]!);
          }
          return parts;
        });
      },
      leastLoad: evenShare,
    },
    options,
  );
}
