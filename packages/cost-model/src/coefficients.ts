/**
 * Seconds of one pass: `launch + heads · Σ_segments (pairs·paddedPairs + rows·rows + keys·keys +
 * segment)`; the Greek letters of algorithms.md section 1 in brackets.
 */
export interface TimeCoefficients {
  /** Seconds of one kernel call. */
  readonly launch: number;
  /** Seconds of one padded pair of one query head (α). */
  readonly pairs: number;
  /** Seconds of one query row of one query head (β). */
  readonly rows: number;
  /** Seconds of one key row of one query head (γ). */
  readonly keys: number;
  /** Seconds of one segment of one query head (δ). */
  readonly segment: number;
}

/** Coefficients of both passes. */
export interface PassCoefficients {
  readonly forward: TimeCoefficients;
  readonly backward: TimeCoefficients;
}
