/** Greatest absolute difference. */
export function maxDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`lengths differ: ${a.length}, ${b.length}`);
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= most)) most = difference;
  }
  return most;
}

/** ‖a − b‖ ÷ ‖b‖; 0 when both are zero. */
export function relativeDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new Error(`lengths differ: ${a.length}, ${b.length}`);
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2;
    norm += b[i]! ** 2;
  }
  if (difference === 0) return 0;
  return Math.sqrt(difference / norm);
}
