import { requireInteger, requireNumber } from "@libra/base";
import type { PassCoefficients } from "./coefficients.js";
import { causalPairs } from "./pairs.js";
import { exact, nearestBorder, type PlanningCost } from "./planning-cost.js";

/**
 * A planning cost from calibration: `round(q·(α·paddedPairs + β·rows))` for each row block of a
 * document, forward and backward added, with q·δ charged to the first block. Keys (γ) and launches
 * are left out: they depend on how a document is cut, and costs of parts must add up exactly.
 *
 * @param coefficients - seconds, as a calibration profile holds them
 * @param quantum - planning cost units of one second (q); 1e9 counts nanoseconds
 * @param rowBlock - rows of the kernel's block
 */
export function calibratedCost(
  coefficients: PassCoefficients,
  quantum: number,
  rowBlock: number,
): PlanningCost {
  requireNumber(quantum, "quantum", Number.MIN_VALUE);
  requireInteger(rowBlock, "rowBlock", 1);
  const both = (key: "pairs" | "rows" | "segment") =>
    quantum *
    (requireNumber(coefficients.forward[key], `forward.${key}`, 0) +
      requireNumber(coefficients.backward[key], `backward.${key}`, 0));
  const [alpha, beta, delta] = [both("pairs"), both("rows"), both("segment")];

  function blockCost(start: number, end: number): number {
    const paddedPairs = causalPairs(start, end) + (start + rowBlock - end) * end;
    return Math.round(alpha * paddedPairs + beta * (end - start) + (start === 0 ? delta : 0));
  }

  // Sums over whole blocks, kept as far as any document reached: a rounded sum has no closed form.
  let sums = Float64Array.of(0);
  let known = 0;
  function wholeBlocks(count: number): number {
    if (count >= sums.length) {
      const grown = new Float64Array(Math.max(64, 2 * count));
      grown.set(sums);
      sums = grown;
    }
    for (; known < count; known++) {
      sums[known + 1] = exact(sums[known]! + blockCost(known * rowBlock, (known + 1) * rowBlock));
    }
    return sums[count]!;
  }

  function prefix(row: number): number {
    const whole = Math.floor(row / rowBlock);
    const start = whole * rowBlock;
    return exact(wholeBlocks(whole) + (row > start ? blockCost(start, row) : 0));
  }

  return Object.freeze({
    name: `calibrated/${rowBlock}/${alpha}/${beta}/${delta}`,
    rowBlock,
    prefix,
    rowNearest: (cost: number, length: number) => nearestBorder(prefix, rowBlock, cost, length),
  });
}
