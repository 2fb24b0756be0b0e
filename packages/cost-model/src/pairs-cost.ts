import { requireInteger } from "@libra/base";
import { causalPairs } from "./pairs.js";
import { exact, type PlanningCost } from "./planning-cost.js";

/**
 * The default planning cost: causal pairs, `row·(row+1)/2`.
 *
 * @param rowBlock - rows of a block; default 128
 */
export function pairsCost(rowBlock = 128): PlanningCost {
  requireInteger(rowBlock, "rowBlock", 1);
  const prefix = (row: number) => exact(causalPairs(0, row));
  return Object.freeze({
    name: `pairs/${rowBlock}`,
    rowBlock,
    prefix,
    rowNearest(cost: number, length: number) {
      if (length === 0) return 0;
      // The row whose prefix is the cost lies between two borders; rounding of the root can only
      // matter where the cost is next to a border, and that border is then one of the two.
      const row = (Math.sqrt(8 * Math.max(0, cost) + 1) - 1) / 2;
      const last = Math.ceil(length / rowBlock) - 1;
      const below = Math.min(Math.floor(row / rowBlock), last) * rowBlock;
      const above = Math.min(below + rowBlock, length);
      return prefix(above) - cost < cost - prefix(below) ? above : below;
    },
  });
}
