import { extname } from "node:path";
import { planLines, type StepPlan, writePlanBinary, writePlanNdjson } from "@libra/sampler";
import type { Io } from "../io.js";
import { writeOutput } from "../write-output.js";
import type { PlanOptions } from "./plan-options.js";

/** Sends the plans where the options say; without --out they are only drawn. */
export async function writePlans(
  plans: Iterable<StepPlan>,
  options: PlanOptions,
  fingerprint: string,
  io: Io,
): Promise<string[]> {
  const { out } = options;
  if (out === undefined) {
    for (const _ of plans);
    return [];
  }
  if (out === "-") {
    for await (const line of planLines(plans, fingerprint)) io.out(line);
    return [];
  }
  const kind = options.as ?? (/^\.(ndjson|jsonl)$/.test(extname(out)) ? "ndjson" : "binary");
  const write = kind === "ndjson" ? writePlanNdjson : writePlanBinary;
  await write(out, plans, { fingerprint, overwrite: options.overwrite ?? false });
  return [out];
}

/** Writes the trace; an existing file is an error unless asked. */
export async function writeTrace(
  path: string,
  trace: { toString(): string },
  options: PlanOptions,
): Promise<string> {
  await writeOutput(path, trace.toString(), options.overwrite ?? false);
  return path;
}
