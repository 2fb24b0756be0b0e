import { requireInteger } from "@libra/base";
import { causalPairs } from "./pairs.js";
import { exact, nearestBorder, type PlanningCost } from "./planning-cost.js";

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
    rowNearest: (cost: number, length: number) => nearestBorder(prefix, rowBlock, cost, length),
  });
}
