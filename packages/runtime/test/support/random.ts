/** Reproducible numbers in [-1, 1): a linear congruential generator, good enough for test data. */
export function numbers(count: number, seed: number): Float32Array {
  let state = (seed * 2654435761 + 1) >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
