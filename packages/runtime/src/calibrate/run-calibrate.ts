import { availableParallelism, loadavg } from "node:os";
import { LibraError } from "@libra/base";
import { formatProfile, type HeldOutError } from "@libra/cost-model";
import { parseCalibrateArguments, usage } from "./arguments.js";
import { type Calibration, calibrate } from "./calibrate.js";
import { clusterFile } from "./cluster-file.js";
import { requireWritable, writeWhole } from "./write-whole.js";

/** Where the command speaks. */
export interface CalibrateOutput {
  /** Results. */
  readonly print?: (line: string) => void;
  /** Progress, warnings and errors. */
  readonly printError?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** Errors on held-out calls that an idle machine stays below. */
const limits = { median: 0.05, p95: 0.12 };

/**
 * `libra calibrate`: measures this machine, fits the cost model, writes the profile and prints its
 * error on calls that the fit has not seen.
 *
 * @param argv - the words after `calibrate`
 * @returns exit code: 0; 1 after an error that was printed, or with `--check` above the limits; 2 after
 *   wrong usage
 */
export async function runCalibrate(
  argv: readonly string[],
  { print = console.log, printError = console.error, signal }: CalibrateOutput = {},
): Promise<number> {
  let understood = false;
  try {
    const options = parseCalibrateArguments(argv);
    understood = true;
    if (options.help) {
      print(usage);
      return 0;
    }
    const { out, cluster, overwrite, ranks } = options;
    const files = cluster === undefined ? [out] : [out, cluster];
    for (const file of files) requireWritable(file, overwrite);
    warnIfBusy(printError);
    const onProgress = progressPrinter(printError);
    const calibration = await calibrate({ ...options, signal, onProgress });
    writeWhole(out, formatProfile(calibration.profile), overwrite);
    if (cluster !== undefined) {
      const text = clusterFile(calibration, { ranks, file: cluster, profileFile: out });
      writeWhole(cluster, text, overwrite);
    }
    const { heldOut } = calibration;
    const good = isGood(heldOut);
    if (options.json) print(JSON.stringify({ ...calibration, files, good }));
    else for (const line of describe(calibration, files)) print(line);
    return options.check && !good ? 1 : 0;
  } catch (error) {
    if (!(error instanceof LibraError)) throw error;
    printError(`libra calibrate: ${error.message}`);
    return understood ? 1 : 2;
  }
}

function isGood({ median, p95 }: HeldOutError): boolean {
  return median <= limits.median && p95 <= limits.p95;
}

function warnIfBusy(printError: (text: string) => void): void {
  const [load] = loadavg();
  if (load === undefined || load < 0.5) return;
  printError(
    `The machine is not idle: load ${load.toFixed(1)} on ${availableParallelism()} cores. Figures will be off.`,
  );
}

// One line a part and quarter: short enough for logs, often enough for people.
function progressPrinter(printError: (text: string) => void) {
  let before = "";
  return (what: string, share: number) => {
    if (what === "") return;
    const line = `${what}: ${25 * Math.floor(4 * share)} %`;
    if (line !== before) printError(line);
    before = line;
  };
}

function describe(calibration: Calibration, files: readonly string[]) {
  const { profile, heldOut, linear, rowBandwidth, links } = calibration;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const link = ({ latency, bandwidth }: (typeof links)["self"]) =>
    `${(latency * 1e6).toFixed(1)} µs + bytes ÷ ${(bandwidth / 1e9).toFixed(2)} GB/s`;
  const verdict = isGood(heldOut)
    ? "within its limits"
    : `above its limits (median ${percent(limits.median)}, p95 ${percent(limits.p95)}): measure again on an idle machine`;
  return [
    `${profile.device}, ${profile.kernel}, ${profile.dtype}, head dim ${profile.headDim}, row block ${profile.rowBlock}`,
    ...(["forward", "backward"] as const).map((pass) => {
      const { launch, pairs, rows, keys, segment } = profile.coefficients[pass];
      return `attention ${pass}: ${short(pairs)} a pair, ${short(rows)} a row, ${short(keys)} a key, ${short(segment)} a segment of one head; ${short(launch)} a call`;
    }),
    `linear operators: ${(linear.mean / 1e9).toFixed(1)} GFLOPs/s (fastest ${(linear.best / 1e9).toFixed(1)})`,
    `row operators: ${(rowBandwidth / 1e9).toFixed(1)} GB/s`,
    `exchange: own rank ${link(links.self)}; other rank ${link(links.sameNode)}`,
    `error of the fit: forward ${percent(profile.error.forward.median)}, backward ${percent(profile.error.backward.median)} (median)`,
    `error on ${heldOut.calls} held-out calls: median ${percent(heldOut.median)}, p95 ${percent(heldOut.p95)}, ${verdict}`,
    `wrote ${files.join(", ")}`,
  ];
}

function short(seconds: number): string {
  return seconds < 1e-6
    ? `${(1e9 * seconds).toPrecision(3)} ns`
    : `${(1e6 * seconds).toFixed(1)} µs`;
}
