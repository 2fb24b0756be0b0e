import { LibraError } from "@libra/base";
import { calibratedCost } from "./calibrated-cost.js";
import type { FitError } from "./calibration.js";
import type { PassCoefficients } from "./coefficients.js";
import { linearTimer } from "./linear-timer.js";
import type { PlanningCost } from "./planning-cost.js";
import type { AttentionTimer } from "./timer.js";

/** A calibration run of one kernel on one device: what `libra calibrate` writes as JSON. */
export interface Profile {
  readonly version: 1;
  /** Device as it names itself. */
  readonly device: string;
  /** Kernel and instruction set. */
  readonly kernel: string;
  readonly dtype: string;
  readonly headDim: number;
  /** Query rows of the kernel's block. */
  readonly rowBlock: number;
  /** Day of the run, YYYY-MM-DD. */
  readonly date: string;
  /** Seconds. */
  readonly coefficients: PassCoefficients;
  readonly error: {
    /** Relative errors of the fit. */
    readonly forward: FitError;
    readonly backward: FitError;
    /** Of predictions for calls that the fit has not seen, where the run checked it. */
    readonly heldOut?: HeldOutError;
  };
}

/** Relative errors `|predicted/measured − 1|` over calls of both passes. */
export interface HeldOutError {
  readonly median: number;
  readonly p95: number;
  readonly calls: number;
}

/**
 * Reads a profile.
 *
 * @param json - text of the file
 * @returns the frozen profile; unknown keys are refused
 * @throws LibraError `FORMAT` that names the path of the first wrong value
 */
export function parseProfile(json: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new LibraError("FORMAT", "The calibration profile is no JSON", { cause });
  }
  const root = object(value, "profile", [
    "version",
    "device",
    "kernel",
    "dtype",
    "headDim",
    "rowBlock",
    "date",
    "coefficients",
    "error",
  ]);
  if (root.version !== 1) throw wrong("1", "profile.version", root.version);
  return Object.freeze({
    version: 1,
    device: text(root.device, "profile.device"),
    kernel: text(root.kernel, "profile.kernel"),
    dtype: text(root.dtype, "profile.dtype"),
    headDim: size(root.headDim, "profile.headDim"),
    rowBlock: size(root.rowBlock, "profile.rowBlock"),
    date: day(root.date, "profile.date"),
    coefficients: passes(root.coefficients, "profile.coefficients", [
      "launch",
      "pairs",
      "rows",
      "keys",
      "segment",
    ]),
    error: errors(root.error, "profile.error"),
  });
}

function errors(value: unknown, path: string): Profile["error"] {
  const { heldOut, ...ofPasses } = object(value, path, ["forward", "backward", "heldOut"]);
  const fit = passes(ofPasses, path, ["median", "largest"]);
  if (heldOut === undefined) return fit;
  const { median, p95, calls } = object(heldOut, `${path}.heldOut`, ["median", "p95", "calls"]);
  return Object.freeze({
    ...fit,
    heldOut: Object.freeze({
      median: nonNegative(median, `${path}.heldOut.median`),
      p95: nonNegative(p95, `${path}.heldOut.p95`),
      calls: size(calls, `${path}.heldOut.calls`),
    }),
  });
}

/** Text of a profile, for a file: stable key order, ends with a line break. */
export function formatProfile(profile: Profile): string {
  const text = `${JSON.stringify(profile, null, 2)}\n`;
  parseProfile(text);
  return text;
}

/** The timer that a profile describes. */
export function profileTimer(profile: Profile): AttentionTimer {
  return linearTimer(profile.coefficients, profile.rowBlock);
}

/**
 * The planning cost that a profile describes.
 *
 * @param quantum - planning cost units of one second; default 1e9
 */
export function profileCost(profile: Profile, quantum = 1e9): PlanningCost {
  return calibratedCost(profile.coefficients, quantum, profile.rowBlock);
}

function passes<Key extends string>(
  value: unknown,
  path: string,
  keys: readonly Key[],
): Record<"forward" | "backward", Readonly<Record<Key, number>>> {
  const both = object(value, path, ["forward", "backward"]);
  const read = (pass: "forward" | "backward") => {
    const entries = object(both[pass], `${path}.${pass}`, keys);
    return Object.freeze(
      Object.fromEntries(
        keys.map((key) => [key, nonNegative(entries[key], `${path}.${pass}.${key}`)]),
      ),
    ) as Readonly<Record<Key, number>>;
  };
  return Object.freeze({ forward: read("forward"), backward: read("backward") });
}

function object<Key extends string>(
  value: unknown,
  path: string,
  keys: readonly Key[],
): Record<Key, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong("an object", path, value);
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key as Key));
  if (unknown !== undefined) {
    throw new LibraError("FORMAT", `Unknown key ${path}.${unknown}; valid: ${keys.join(", ")}`);
  }
  return value as Record<Key, unknown>;
}

function text(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrong("a non-empty text", path, value);
}

function day(value: unknown, path: string): string {
  if (typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  throw wrong("a day as YYYY-MM-DD", path, value);
}

function size(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw wrong("a positive integer", path, value);
}

function nonNegative(value: unknown, path: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw wrong("a non-negative number", path, value);
}

function wrong(what: string, path: string, received: unknown): LibraError {
  return new LibraError(
    "FORMAT",
    `Expected ${what} for ${path} but received ${JSON.stringify(received)}`,
    { details: { path } },
  );
}
