import { spreadOf } from "./spread.js";

/** Where a rank's time goes. */
export const phases = ["attention", "exchange", "wait", "other"] as const;
export type Phase = (typeof phases)[number];

/** Milliseconds per phase, one entry per rank. */
export type PhaseTimes = Readonly<Record<Phase, Float64Array>>;

/** The rank that stands out in one phase. */
export interface PhaseFinding {
  readonly phase: Phase;
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly worst: number;
  /**
   * Smoothed value of the worst rank ÷ smoothed median: above 1 means a slow rank, not a slow step.
   * 1 while there are too few steps to tell.
   */
  readonly chronic: number;
}

const smoothing = 0.1;
const fewSteps = 10;

/**
 * The last steps' times per phase and rank, at most `window` records a phase, and a smoothed value
 * (exponential, 0.1) that tells a slow rank from a slow step.
 */
export class PhaseHistory {
  readonly #records = new Map<Phase, Float64Array[]>();
  readonly #smoothed = new Map<Phase, Float64Array>();

  constructor(readonly window = 100) {}

  add(times: PhaseTimes): void {
    for (const phase of phases) {
      const values = times[phase];
      const records = this.#records.get(phase) ?? [];
      records.push(values);
      if (records.length > this.window) records.shift();
      this.#records.set(phase, records);
      const before = this.#smoothed.get(phase);
      this.#smoothed.set(
        phase,
        values.map((value, rank) =>
          before === undefined ? value : before[rank]! + smoothing * (value - before[rank]!),
        ),
      );
    }
  }

  /** Records kept of a phase, oldest first. */
  records(phase: Phase): readonly Float64Array[] {
    return this.#records.get(phase) ?? [];
  }

  /** The phases as the kept steps' mean shows them; empty before the first step. */
  report(): PhaseFinding[] {
    return phases.flatMap((phase) => {
      const records = this.records(phase);
      const smoothed = this.#smoothed.get(phase);
      if (records.length === 0 || smoothed === undefined) return [];
      const mean = records[0]!.map(
        (_, rank) => records.reduce((sum, values) => sum + values[rank]!, 0) / records.length,
      );
      const spread = spreadOf(mean);
      const { median } = spreadOf(smoothed);
      const known = records.length >= fewSteps && median > 0;
      const chronic = known ? smoothed[spread.worst]! / median : 1;
      return [{ phase, ...spread, chronic }];
    });
  }
}
