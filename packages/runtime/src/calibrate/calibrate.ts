import { cpus } from "node:os";
import {
  type CalibrationSample,
  callTime,
  fitCalibration,
  type HeldOutError,
  linearTimer,
  type Pass,
  type PassCoefficients,
  type Profile,
} from "@libra/cost-model";
import { launchLocal } from "../launch-local.js";
import type { Rank } from "../rank.js";
import { calibrationCalls } from "./attention-calls.js";
import { measureAttention } from "./measure-attention.js";
import { type MeasuredLinks, measureExchange } from "./measure-exchange.js";
import { type LinearRate, measureLinear } from "./measure-linear.js";
import { measureRows } from "./measure-rows.js";
import { median, percentile, type RoundsOptions } from "./rounds.js";

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

/** A machine as measured. */
export interface Calibration {
  readonly profile: Profile;
  readonly heldOut: HeldOutError;
  readonly linear: LinearRate;
  /** Bytes per second at which norms, activations and the like stream rows. */
  readonly rowBandwidth: number;
  readonly links: MeasuredLinks;
}

/**
 * Measures attention, linear operators, row operators and exchange on this machine, and fits the cost
 * model. All ranks measure at the same time, since they share caches, memory and the processor's
 * clock when they train, too; figures are means over ranks.
 *
 * @throws LibraError `NATIVE` when the addon does not load, `ABORTED` by `signal`
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { headDim, longest, ranks, threads, signal } = options;
  const calls = calibrationCalls(longest, options);
  const all = [...calls.fitted, ...calls.heldOut];
  const measured = await launchLocal(
    ranks,
    async (rank) => {
      const part = partsOf(rank, options);
      return {
        device: rank.device,
        samples: await measureAttention(rank, all, headDim, part("attention", 0.6)),
        linear: await measureLinear(rank, part("linear operators", 0.2)),
        rows: await measureRows(rank, part("row operators", 0.1)),
        links: await measureExchange(rank, part("exchange", 0.1)),
      };
    },
    { threads, signal },
  );
  const { device, samples } = measured[0]!;
  const mean = (pick: (rank: (typeof measured)[number]) => number) =>
    measured.reduce((sum, rank) => sum + pick(rank), 0) / ranks;
  const means = samples.map((sample, i) => ({
    ...sample,
    seconds: mean((rank) => rank.samples[i]!.seconds),
  }));
  const fitted = means.slice(0, 2 * calls.fitted.length);
  const fit = fitCalibration(fitted, device.rowBlock);
  const heldOut = errorOf(fit.coefficients, device.rowBlock, means.slice(fitted.length));
  const profile: Profile = {
    version: 1,
    device: cpus()[0]?.model.trim() || "unknown processor",
    kernel: `cpu/${device.instructionSet}, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    dtype: "float32",
    headDim,
    rowBlock: device.rowBlock,
    date: new Date().toISOString().slice(0, 10),
    coefficients: fit.coefficients,
    error: { ...fit.error, heldOut },
  };
  const linear = { mean: mean((rank) => rank.linear.mean), best: mean((rank) => rank.linear.best) };
  const rowBandwidth = mean((rank) => rank.rows);
  return { profile, heldOut, linear, rowBandwidth, links: measured[0]!.links };
}

/** Shares of the time; rank 0 tells how far it is. */
function partsOf(rank: Rank, { seconds, signal, onProgress }: CalibrateOptions) {
  return (what: string, share: number): RoundsOptions => ({
    seconds: share * seconds,
    signal,
    onProgress: (done) => {
      if (rank.rank === 0) onProgress?.(what, done);
    },
  });
}

/** How far predictions are from measurements; of one pass, or of both. */
export function errorOf(
  coefficients: PassCoefficients,
  rowBlock: number,
  samples: readonly CalibrationSample[],
  pass?: Pass,
): HeldOutError {
  const timer = linearTimer(coefficients, rowBlock);
  const errors = samples
    .filter((sample) => pass === undefined || sample.pass === pass)
    .map(({ pass: own, segments, seconds }) =>
      Math.abs(callTime(timer, own, segments) / seconds - 1),
    );
  return { median: median(errors), p95: percentile(errors, 0.95), calls: errors.length };
}
