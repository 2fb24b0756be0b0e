import { resolve } from "node:path";
import { expected, LibraError, requireInteger } from "@libra/base";
import type { Command } from "commander";
import type { PlanOptions } from "./plan-options.js";

const megatronOnly = ["microBatch", "consumedSamples", "data", "dataRoot", "dryRun"] as const;

/**
 * Rules that bind several options of `libra plan`.
 *
 * @throws LibraError `ARGUMENT`: an option that would have no effect, or two outputs in one file
 */
export function checkOptions(command: Command, options: PlanOptions): void {
  const { megatronCache, out, trace, steps, traceSteps } = options;
  if (megatronCache === undefined) {
    const given = megatronOnly.find((name) => command.getOptionValueSource(name) === "cli");
    if (given !== undefined) {
      const flag = command.options.find((option) => option.attributeName() === given)?.long;
      throw new LibraError("ARGUMENT", `${flag} has a meaning only with --megatron-cache`);
    }
  }
  if (steps !== undefined) requireInteger(steps, "--steps", 1);
  requireInteger(traceSteps, "--trace-steps", 1);
  if (out !== undefined && trace !== undefined && resolve(out) === resolve(trace)) {
    throw expected("another file than --out", "--trace", trace);
  }
}
