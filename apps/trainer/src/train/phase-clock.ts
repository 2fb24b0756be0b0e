import type { Rank, Stream } from "@libra/runtime";
import { type PhaseTimes, phases } from "../metrics/phase-history.js";

/** Streams that a step uses: the model's own and the two of the attention's pipeline. */
const streamNames = ["compute", "dispatch", "return"];

/**
 * Where a rank's time goes between construction and `read`:
 * attention: busy time of the busiest compute thread in attention kernels;
 * exchange: time spent copying for the exchange, on its own streams, so it may overlap the others;
 * wait: time that the compute stream stood still for an event or another rank;
 * other: time of everything else on the compute stream.
 */
export class PhaseClock {
  /** Time from construction to `read`. */
  milliseconds = 0;
  readonly #streams: readonly Stream[];
  readonly #start: number;

  constructor(rank: Rank) {
    this.#streams = streamNames.map((name) => rank.stream(name));
    for (const stream of this.#streams) stream.resetTimings();
    this.#start = performance.now();
  }

  /** Milliseconds in the order of `phases`; all work that counts is done. */
  read(): number[] {
    this.milliseconds = performance.now() - this.#start;
    const times = { attention: 0, exchange: 0, wait: 0, other: 0 };
    for (const stream of this.#streams) {
      const onCompute = stream.name === streamNames[0];
      for (const [kind, { wallMs, cpuMs, waitMs }] of Object.entries(stream.timings())) {
        if (onCompute) times.wait += waitMs;
        if (kind === "attentionForward" || kind === "attentionBackward") times.attention += cpuMs;
        else if (kind === "exchange") times.exchange += wallMs;
        else if (onCompute) times.other += wallMs;
      }
    }
    return phases.map((phase) => times[phase]);
  }
}

/** Times by phase and rank out of [rank][times, …]. */
export function phasesOfRanks(all: readonly Float64Array[]): PhaseTimes {
  const [attention, exchange, wait, other] = phases.map((_, index) =>
    Float64Array.from(all, (numbers) => numbers[index]!),
  );
  return { attention: attention!, exchange: exchange!, wait: wait!, other: other! };
}
