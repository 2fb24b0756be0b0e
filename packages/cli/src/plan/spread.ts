/** A figure over what was planned. */
export interface Spread {
  mean: number;
  p95: number;
  worst: number;
}

/** Mean, 95th percentile (linear interpolation) and largest; 1 for no values: an empty plan is even. */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: 1, p95: 1, worst: 1 };
  const sorted = [...values].sort((a, b) => a - b);
  const place = 0.95 * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  const high = sorted[Math.ceil(place)]!;
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    p95: low + (high - low) * (place - Math.floor(place)),
    worst: sorted.at(-1)!,
  };
}
