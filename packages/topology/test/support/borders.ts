/** cuSeqlens of document lengths. */
export const bordersOf = (lengths: readonly number[]) =>
  Int32Array.from(
    [0, ...lengths].map((_, i) => lengths.slice(0, i).reduce((sum, n) => sum + n, 0)),
  );
