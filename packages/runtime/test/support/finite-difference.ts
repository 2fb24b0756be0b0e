/** Central differences of a scalar function of some numbers, in float64. */
export function gradient(
  f: (x: readonly number[]) => number,
  x: readonly number[],
  step = 1e-5,
): number[] {
  return x.map((value, i) => {
    const at = (shifted: number): number => f(x.with(i, shifted));
    return (at(value + step) - at(value - step)) / (2 * step);
  });
}

/** Σ a · b: turns an output into a scalar whose gradient is that of `dOut`. */
export function dot(a: readonly number[], b: ArrayLike<number>): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
