import { annealBins } from "./anneal.js";
import { balanceBins, closeEnough, type Items } from "./balance.js";
import type { Bins } from "./bins.js";
import { completeBins } from "./complete.js";
import { lowerLevels, regroup, sumOfLevels } from "./levels.js";
import { stepBound } from "./objective.js";
import { fillTiers } from "./tiers.js";
import type { PlacementShape } from "./types.js";

// Levels of a micro-step that are tried, as multiples of an even share of what is left.
const levelFactors = [1, 1.01, 1.03, 1.06, 1.1, 1.2, 1.4, 1.7, 2, 2.5, 3];
const fewLevelFactors = [1, 1.06, 1.2];
const smallStep = 512;
// Levels are lowered one after another, so a search has more to do than one for a single maximum.
const budgetFactor = 4;

/**
 * Pools meet at every micro-step: Σ over micro-steps of the largest bin is what counts. Equal bins
 * are one way; the other is tiers, where a long sequence sets the level of its own micro-step and
 * the bins beside it take up as much work as that level has room for. The best of several starts
 * are lowered level by level.
 *
 * @returns slot → item
 */
export function placeMicroSteps(items: Items, shape: PlacementShape): Uint32Array {
  const { pools, microSteps, poolSize } = shape;
  const goal = (items.total / pools) * Math.max(closeEnough, stepBound(items.sorted, shape));
  const even = regroup(balanceBins(items, pools * microSteps, poolSize));
  if (sumOfLevels(even, pools) <= goal) return even.items;
  const factors = items.order.length <= smallStep ? levelFactors : fewLevelFactors;
  const budget = budgetFactor * items.budget;
  let best = even;
  const makers = [
    (factor: number) => completeTiers(items, shape, factor),
    (factor: number) => fillTiers(items, shape, factor, "lightest"),
    (factor: number) => fillTiers(items, shape, factor, "roomiest"),
  ];
  for (const make of makers) {
    const start = factors
      .map((factor) => regroup(make(factor)))
      .reduce((a, b) => lesser(a, b, pools));
    best = lesser(best, lowerLevels(start, pools, goal, budget), pools);
    if (sumOfLevels(best, pools) <= goal) return best.items;
  }
  best = lesser(best, lowerLevels(even, pools, goal, budget), pools);
  if (sumOfLevels(best, pools) > goal) {
    const annealed = regroup(annealBins(best, pools, goal, items.moves));
    best = lesser(best, lowerLevels(annealed, pools, goal, budget), pools);
  }
  return best.items;
}

function lesser(a: Bins, b: Bins, pools: number): Bins {
  return sumOfLevels(b, pools) < sumOfLevels(a, pools) ? b : a;
}

// The micro-steps one after another, each up to the level that its longest sequence needs, or a
// multiple of an even share; the last one takes what is left.
function completeTiers(items: Items, shape: PlacementShape, factor: number): Bins {
  const { pools, microSteps, poolSize } = shape;
  const bins = pools * microSteps;
  let level = 0;
  const levelOf = (bin: number, needed: number, rest: number) => {
    if (bin % pools === 0) {
      const share = rest / (bins - bin);
      level = Math.max(needed, bin < bins - pools ? share * factor : share);
    }
    return level;
  };
  return completeBins(items.order, items.weights, bins, poolSize, levelOf);
}
