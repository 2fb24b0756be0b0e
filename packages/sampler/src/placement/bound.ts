/**
 * A value that the heaviest of `bins` bins of exactly `size` items cannot be below, ÷ the mean.
 * Among the j·K+1 largest items some bin holds at least j+1, so that bin weighs at least the j+1
 * smallest of these plus the B−1−j smallest of all (algorithms.md section 2). And of the n largest
 * items either two share a bin, or n bins hold one each and together at least these and the n·(B−1)
 * smallest of all: the heaviest is at least their mean.
 *
 * @param sorted - weights of the `bins · size` items, descending
 * @returns at least 1; 1 when all weights are 0
 */
export function equalSizeBound(sorted: Float64Array, bins: number, size: number): number {
  const count = bins * size;
  const before = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) before[i + 1] = before[i]! + sorted[i]!;
  const total = before[count]!;
  if (total === 0) return 1;
  let largest = 0;
  for (let j = 0; j < size; j++) {
    const end = j * bins + 1;
    const heavy = before[end]! - before[end - j - 1]!;
    const light = total - before[count - (size - 1 - j)]!;
    largest = Math.max(largest, heavy + light);
  }
  for (let n = 2; n <= bins && size > 1; n++) {
    const shared = sorted[n - 2]! + sorted[n - 1]! + total - before[count - (size - 2)]!;
    if (shared <= largest) break;
    const apart = (before[n]! + total - before[count - n * (size - 1)]!) / n;
    largest = Math.max(largest, Math.min(shared, apart));
  }
  return Math.max(1, (largest * bins) / total);
}
