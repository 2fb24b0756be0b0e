import { LibraError } from "@libra/base";

/**
 * Cumulative planning cost of ONE query head over the rows of a document: what placement and tiles
 * balance. Integers only, so that costs of parts add up exactly; both are exact below 2^53.
 */
export interface PlanningCost {
  /** Says how the cost is made, parameters included; part of a plan's fingerprint. */
  readonly name: string;
  /** Rows of a block, counted from the document's start: tiles are cut at its borders. */
  readonly rowBlock: number;
  /**
   * Cost of the rows `[0, row)`.
   *
   * @param row - a block border, or the document's length
   * @throws LibraError `LENGTHS` above 2^53
   */
  prefix(row: number): number;
  /**
   * The block border (or the length) whose prefix is nearest to a cost; ties go to the lower one.
   *
   * @param length - rows of the document
   */
  rowNearest(cost: number, length: number): number;
}

/** Cost of one query head over a whole document of `length` rows. */
export function documentCost(cost: PlanningCost, length: number): number {
  return exact(cost.prefix(length));
}

/**
 * Cost of one query head over a packed sequence: the sum over its documents.
 *
 * @param lengths - rows of each document
 * @throws LibraError `LENGTHS` when the sum is above 2^53
 */
export function sequenceCost(cost: PlanningCost, lengths: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < lengths.length; i++) total += documentCost(cost, lengths[i]!);
  return exact(total);
}

/** Returns the cost, or throws LibraError `LENGTHS` when it is above 2^53 and so not exact. */
export function exact(cost: number): number {
  if (cost <= Number.MAX_SAFE_INTEGER) return cost;
  throw new LibraError(
    "LENGTHS",
    `Planning cost ${cost} is above 2^53 − 1, where sums are no longer exact; use a coarser planning cost or shorter documents`,
  );
}

/**
 * The nearer of the borders around a cost, by bisection over a growing prefix.
 *
 * @param rowBlock - distance of the borders; the last border is `length`
 */
export function nearestBorder(
  prefix: (row: number) => number,
  rowBlock: number,
  cost: number,
  length: number,
): number {
  let low = 0;
  let high = Math.ceil(length / rowBlock);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (prefix(Math.min(middle * rowBlock, length)) < cost) low = middle + 1;
    else high = middle;
  }
  // `low` is the first border at or above the cost (or the last one).
  const above = Math.min(low * rowBlock, length);
  const below = Math.max(0, (low - 1) * rowBlock);
  return prefix(above) - cost < cost - prefix(below) ? above : below;
}
