import { loadavg } from "node:os";
import type { Binding } from "../native/binding.js";

/** A rate of one core, and of `threads` together. */
export interface Rate {
  readonly one: number;
  readonly all: number;
}

/** What this machine reached while it was asked. */
export interface Rates {
  readonly threads: number;
  /** GFLOP/s of multiply-adds with the chosen instruction set. */
  readonly float32: Rate;
  /** GFLOP/s of pair products; `undefined` where the machine has none. */
  readonly bfloat16: Rate | undefined;
  /** GB/s read and written by a copy; `undefined` where memory does not suffice. */
  readonly copy: Rate | undefined;
  /** Processes that ran or waited in the last minute: above half a one the figures are low. */
  readonly load: number;
}

const leastBytes = 64 * 2 ** 20;
const mostBytes = 2 ** 30;

/**
 * Measures for less than two seconds; the calling thread is busy meanwhile.
 *
 * @param lastCache - bytes of all last-level caches: copies must be larger
 * @param available - bytes of memory that may be used
 */
export function measureRates(
  native: Pick<Binding, "peakFloat" | "peakBfloat16" | "copyBandwidth">,
  { instructionSet, threads, lastCache, available }: RateOptions,
): Rates {
  const load = loadavg()[0]!;
  const both = (measure: (threads: number) => number): Rate | undefined => {
    const one = measure(1);
    return one === 0 ? undefined : { one, all: threads === 1 ? one : measure(threads) };
  };
  const bytes = Math.min(mostBytes, Math.max(leastBytes, 2 * lastCache));
  return {
    threads,
    float32: both((count) => native.peakFloat(count, instructionSet))!,
    bfloat16: both((count) => native.peakBfloat16(count)),
    copy: 4 * bytes > available ? undefined : both((count) => native.copyBandwidth(count, bytes)),
    load,
  };
}

export interface RateOptions {
  readonly instructionSet: string;
  readonly threads: number;
  readonly lastCache: number;
  readonly available: number;
}
