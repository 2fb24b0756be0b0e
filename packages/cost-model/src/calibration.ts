import { expected, LibraError, requireInteger, requireNumber } from "@libra/base";
import type { PassCoefficients, TimeCoefficients } from "./coefficients.js";
import type { Pass } from "./flops.js";
import { causalMask, fullMask } from "./mask.js";
import { nonNegativeLeastSquares } from "./non-negative-least-squares.js";
import { paddedSegmentPairs } from "./pairs.js";
import type { SegmentShape } from "./timer.js";

/** One measured kernel call. */
export interface CalibrationSample {
  readonly pass: Pass;
  readonly segments: readonly SegmentShape[];
  /** Measured seconds of the call, above 0. */
  readonly seconds: number;
}

/** Relative error of predictions against the samples that made them: `|predicted/measured − 1|`. */
export interface FitError {
  readonly median: number;
  readonly largest: number;
}

/** What {@link fitCalibration} found. */
export interface CalibrationFit {
  readonly coefficients: PassCoefficients;
  readonly error: Readonly<Record<Pass, FitError>>;
}

/**
 * Fits the coefficients of the linear timer by non-negative least squares. Every sample is divided
 * by its measured seconds, so the fit minimises relative errors and short calls count as much as
 * long ones.
 *
 * @param rowBlock - query rows of the kernel's block
 * @throws LibraError `ARGUMENT` for samples that are no measurement or a pass without any
 */
export function fitCalibration(
  samples: readonly CalibrationSample[],
  rowBlock: number,
): CalibrationFit {
  requireInteger(rowBlock, "rowBlock", 1);
  const fits = (["forward", "backward"] as const).map((pass) => {
    const chosen = samples.filter((sample) => sample.pass === pass);
    if (chosen.length === 0) throw expected(`at least one ${pass} sample`, "samples", samples);
    return fitPass(chosen, rowBlock);
  });
  const [forward, backward] = fits as [PassFit, PassFit];
  return Object.freeze({
    coefficients: Object.freeze({
      forward: forward.coefficients,
      backward: backward.coefficients,
    }),
    error: Object.freeze({ forward: forward.error, backward: backward.error }),
  });
}

interface PassFit {
  coefficients: TimeCoefficients;
  error: FitError;
}

function fitPass(samples: readonly CalibrationSample[], rowBlock: number): PassFit {
  const rows = samples.map((sample, i) => {
    requireNumber(sample.seconds, `samples[${i}].seconds`, Number.MIN_VALUE);
    return features(sample.segments, rowBlock).map((value) => value / sample.seconds);
  });
  const { x } = nonNegativeLeastSquares(
    rows,
    samples.map(() => 1),
  );
  const errors = rows
    .map((row) => Math.abs(row.reduce((sum, value, j) => sum + value * x[j]!, 0) - 1))
    .sort((a, b) => a - b);
  const [launch, pairs, perRow, perKey, segment] = x as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    coefficients: Object.freeze({ launch, pairs, rows: perRow, keys: perKey, segment }),
    error: Object.freeze({
      median: errors[Math.floor((errors.length - 1) / 2)]!,
      largest: errors[errors.length - 1]!,
    }),
  };
}

// What each coefficient multiplies: one call, padded pairs, rows, keys, segments, times heads.
function features(segments: readonly SegmentShape[], rowBlock: number): number[] {
  const sums = [1, 0, 0, 0, 0];
  for (const { heads, rows, keys, causal } of segments) {
    if (rows === 0 || keys === 0) continue;
    const mask = causal ? causalMask : fullMask;
    sums[1]! += heads * paddedSegmentPairs(mask, rows, keys, rowBlock);
    sums[2]! += heads * rows;
    sums[3]! += heads * keys;
    sums[4]! += heads;
  }
  if (!sums.every(Number.isSafeInteger)) {
    throw new LibraError("LENGTHS", "A calibration sample has more than 2^53 pairs");
  }
  return sums;
}
