/** How one number differs over ranks. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Rank of the greatest value; ties: the lowest. */
  readonly worst: number;
}

/** @param values - one per rank, at least one; an even number's median is the middle two's mean */
export function spreadOf(values: ArrayLike<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  const max = sorted[sorted.length - 1]!;
  return {
    min: sorted[0]!,
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    max,
    worst: Array.prototype.indexOf.call(values, max),
  };
}

/**
 * Percentile with linear interpolation between the two nearest values, as numpy's default.
 *
 * @param values - at least one; @param percent - 0 to 100
 */
export function percentile(values: ArrayLike<number>, percent: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}
