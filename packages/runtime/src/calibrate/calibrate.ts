import { cpus } from "node:os";
import {
  type CalibrationSample,
  callTime,
  fitCalibration,
  type Pass,
  type Profile,
  profileTimer,
} from "@libra/cost-model";
import { launchLocal } from "../launch-local.js";
import { calibrationCalls } from "./attention-calls.js";
import { measureAttention } from "./measure-attention.js";
import { type MeasuredLinks, measureExchange } from "./measure-exchange.js";
import { type LinearRate, measureLinear } from "./measure-linear.js";
import { median, percentile } from "./rounds.js";

/** What to measure, and for how long. */
export interface CalibrateOptions {
  readonly headDim: number;
  readonly kvHeads: number;
  /** Query heads of one KV head. */
  readonly group: number;
  /** Rows of the longest call. */
  readonly longest: number;
  /** Seconds in all; the last round of each part may end later. */
  readonly seconds: number;
  readonly ranks: number;
  /** Compute threads of a rank. */
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  /** What is measured, and the share of it that is done. */
  readonly onProgress?: (what: string, share: number) => void;
}

/** Relative error of predictions for calls that the fit has not seen. */
export interface HeldOutError {
  readonly median: number;
  readonly p95: number;
  readonly calls: number;
}

/** A machine as measured. */
export interface Calibration {
  readonly profile: Profile;
  readonly heldOut: HeldOutError;
  readonly linear: LinearRate;
  readonly links: MeasuredLinks;
}

/**
 * Measures attention, linear operators and exchange on this machine, and fits the cost model.
 *
 * @throws LibraError `NATIVE` when the addon does not load, `ABORTED` by `signal`
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { headDim, longest, seconds, ranks, threads, signal, onProgress } = options;
  const part = (what: string, share: number) => ({
    seconds: share * seconds,
    signal,
    onProgress: (done: number) => onProgress?.(what, done),
  });
  const calls = calibrationCalls(longest, options);
  const all = [...calls.fitted, ...calls.heldOut];
  const launch = { threads, signal };
  const [measured] = await launchLocal(
    1,
    async (rank) => ({
      device: rank.device,
      samples: await measureAttention(rank, all, headDim, part("attention", 0.8)),
      linear: await measureLinear(rank, part("linear operators", 0.1)),
    }),
    launch,
  );
  const { device, samples, linear } = measured!;
  const exchanges = await launchLocal(
    ranks,
    (rank) => measureExchange(rank, rank.rank === 0 ? part("exchange", 0.1) : part("", 0.1)),
    launch,
  );
  const fitted = samples.slice(0, 2 * calls.fitted.length);
  const fit = fitCalibration(fitted, device.rowBlock);
  const profile: Profile = {
    version: 1,
    device: cpus()[0]?.model.trim() || "unknown processor",
    kernel: `cpu/${device.instructionSet}, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    dtype: "float32",
    headDim,
    rowBlock: device.rowBlock,
    date: new Date().toISOString().slice(0, 10),
    ...fit,
  };
  const heldOut = errorOf(profile, samples.slice(fitted.length));
  return { profile, heldOut, linear, links: exchanges[0]! };
}

/** How far a profile's predictions are from measurements; of one pass, or of both. */
export function errorOf(
  profile: Profile,
  samples: readonly CalibrationSample[],
  pass?: Pass,
): HeldOutError {
  const timer = profileTimer(profile);
  const errors = samples
    .filter((sample) => pass === undefined || sample.pass === pass)
    .map(({ pass: own, segments, seconds }) =>
      Math.abs(callTime(timer, own, segments) / seconds - 1),
    );
  return { median: median(errors), p95: percentile(errors, 0.95), calls: errors.length };
}
