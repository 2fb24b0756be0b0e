import { resolve } from "node:path";
import { requireInteger } from "@libra/base";
import type { Command } from "commander";
import { UsageError } from "../usage-error.js";
import type { PlanOptions } from "./plan-options.js";
import { whole } from "./table.js";

const megatronOnly = ["microBatch", "consumedSamples", "data", "dataRoot", "dryRun"] as const;

/** What rewriting a cache takes besides. */
const alsoMegatron = [
  ...(["megatronCache", "dp", "microSteps", "poolSize", "sync", "stages", "placement"] as const),
  ...(["profile", "json"] as const),
];

/**
 * Rules that bind several options of `libra plan`.
 *
 * @throws UsageError: an option that would have no effect, one that is missing, or two outputs in one
 *   file
 */
export function checkOptions(
  command: Command,
  paths: readonly string[],
  options: PlanOptions,
): void {
  const { megatronCache, out, as, trace, steps, traceSteps, window } = options;
  const given = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === "cli",
  );
  const refuse = (names: readonly string[], wanted: boolean, why: string) => {
    const found = given.find((option) => names.includes(option.attributeName()) === wanted);
    if (found !== undefined) throw new UsageError(`${found.long} ${why}`);
  };
  if (megatronCache === undefined) {
    refuse(megatronOnly, true, "has a meaning only with --megatron-cache");
    if (paths.length === 0) {
      throw new UsageError("Expected a file or folder with document lengths but received none");
    }
    if (window === undefined) throw new UsageError("Expected --window TOKENS but received none");
  } else {
    const meant = [...megatronOnly, ...alsoMegatron];
    refuse(meant, false, "has no meaning with --megatron-cache, which rewrites the cache in place");
  }
  if (out === undefined) refuse(["as"], true, "has a meaning only with --out");
  if (out === "-" && as === "binary") {
    throw new UsageError("--out - writes NDJSON; --as binary needs a file");
  }
  if (trace === undefined) refuse(["traceSteps"], true, "has a meaning only with --trace");
  if (steps !== undefined) requireInteger(steps, "--steps", 1);
  requireInteger(traceSteps, "--trace-steps", 1);
  checkSizes(options);
  if (out !== undefined && trace !== undefined && resolve(out) === resolve(trace)) {
    throw new UsageError(`Expected another file than --out for --trace but received ${trace}`);
  }
}

/** Workers of a pool; larger ones would be planned for minutes. */
const mostWorkers = 16384;
/** Slices of a trace: what a viewer still opens. */
const mostSlices = 1e6;

function checkSizes(options: PlanOptions): void {
  const { tiles, trace, poolSize, cp, dp, microSteps, traceSteps, steps = traceSteps } = options;
  const workers = (poolSize === "auto" ? 1 : poolSize) * cp;
  if (tiles && workers > mostWorkers) {
    throw new UsageError(
      `Expected at most ${whole(mostWorkers)} workers in a pool (--pool-size × --cp) but received ${whole(workers)}`,
    );
  }
  const slices = dp * microSteps * cp * Math.min(steps, traceSteps);
  if (trace !== undefined && !tiles && slices > mostSlices) {
    throw new UsageError(
      `Expected at most ${whole(mostSlices)} slices in a trace (--dp × --micro-steps × --cp × --trace-steps) but received ${whole(slices)}`,
    );
  }
}
