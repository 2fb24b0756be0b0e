/** Something to measure: runs once and tells its seconds. */
export type Measurement = () => Promise<number>;

export interface RoundsOptions {
  /** Seconds after which no further round begins; at least one is made. */
  readonly seconds: number;
  /** Default 15. */
  readonly most?: number;
  /** Called after every measurement with the share of the time or rounds that is spent. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures everything once a round, round after round, so that whatever disturbs the machine for a
 * while disturbs all alike. A first round only warms up.
 *
 * @returns the median of each measurement's rounds
 */
export async function measureRounds(
  measurements: readonly Measurement[],
  options: RoundsOptions,
): Promise<number[]> {
  const { seconds, most = 15, onProgress, signal } = options;
  for (const measure of measurements) await measure();
  const results: number[][] = measurements.map(() => []);
  const start = performance.now();
  const spent = () => (performance.now() - start) / 1e3 / seconds;
  for (let round = 0; round < most && (round === 0 || spent() < 1); round++) {
    for (const [i, measure] of measurements.entries()) {
      signal?.throwIfAborted();
      results[i]!.push(await measure());
      onProgress?.(Math.min(1, Math.max(spent(), (round + (i + 1) / results.length) / most)));
    }
  }
  return results.map(median);
}

/** Middle value; of an even number the mean of both. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Value below which a share of the values lie, with linear interpolation. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}
