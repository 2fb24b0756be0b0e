import { planHash } from "../plan/plan-hash.js";
import { noSequence, type StepPlan } from "../plan/step-plan.js";
import { damaged } from "../sources/format-error.js";
import { textLines } from "../sources/text-lines.js";
import { type OutputOptions, writeAtomically } from "./atomic-file.js";
import {
  headerOf,
  noSteps,
  type PlanHeader,
  type Plans,
  planFileVersion,
  requireSameShape,
} from "./plan-header.js";

/** Options of the plan writers. */
export interface PlanFileOptions extends OutputOptions {
  /** XXH64 of the corpus's lengths, kept in the file so that a reader can compare. */
  fingerprint?: string;
}

const kind = "libra-plan";

/**
 * A plan as lines of JSON: one with the configuration, then one for each step. A filler's `sequence`
 * is −1; `hash` is the step's `planHash`.
 *
 * @throws LibraError `PLAN` when steps differ in shape
 */
export async function* planLines(plans: Plans, fingerprint?: string): AsyncGenerator<string> {
  let header: PlanHeader | undefined;
  for await (const plan of plans) {
    if (header === undefined) {
      header = headerOf(plan, fingerprint);
      yield `${JSON.stringify({ kind, version: planFileVersion, ...header })}\n`;
    }
    requireSameShape(plan, header);
    yield `${JSON.stringify(stepRecord(plan))}\n`;
  }
}

/**
 * Writes a plan as NDJSON (see {@link planLines}), whole or not at all.
 *
 * @returns steps written
 * @throws LibraError `ARGUMENT` when the output exists, `ENVIRONMENT` when it cannot be written (an
 *   old file stays as it was), `PLAN` when steps differ in shape or there are none
 */
export function writePlanNdjson(
  path: string,
  plans: Plans,
  options: PlanFileOptions = {},
): Promise<number> {
  return writeAtomically(path, options, async (file) => {
    let lines = 0;
    for await (const line of planLines(plans, options.fingerprint)) {
      await file.write(Buffer.from(line));
      lines++;
    }
    if (lines === 0) throw noSteps(path);
    return lines - 1;
  });
}

/**
 * Reads a plan that {@link writePlanNdjson} wrote (gzip or plain), step by step.
 *
 * @throws LibraError `FORMAT` for damage: also when a step's hash is not that of its numbers
 */
export async function* readPlanNdjson(path: string): AsyncGenerator<StepPlan> {
  let header: PlanHeader | undefined;
  for await (const { lines, offsets, firstNumber } of textLines(path, { bytes: 0 })) {
    for (let i = 0; i < lines.length; i++) {
      if (lines[i] === "") continue;
      const where = `line ${firstNumber + i}`;
      const record = parse(lines[i]!, path, offsets[i]!, where);
      if (header === undefined) {
        if (record.kind !== kind || record.version !== planFileVersion) {
          throw damaged(path, offsets[i]!, "the header of a Libra plan", lines[i]!.slice(0, 60));
        }
        header = record as unknown as PlanHeader;
        continue;
      }
      const plan = stepOf(record, header);
      const hash = planHash(plan);
      if (hash !== record.hash) {
        throw damaged(path, offsets[i]!, `${where} to have the hash ${record.hash}`, hash);
      }
      yield plan;
    }
  }
}

function stepRecord(plan: StepPlan): Record<string, unknown> {
  const { epoch, step, poolSkew, stepSkew, arrivalSkew, bound, tokens, targets } = plan;
  return {
    epoch,
    step,
    sequence: Array.from(plan.sequence, (index) => (index === noSequence ? -1 : index)),
    weight: Array.from(plan.weight),
    segmentOffsets: Array.from(plan.segmentOffsets),
    segmentDocument: Array.from(plan.segmentDocument),
    segmentStart: Array.from(plan.segmentStart),
    segmentLength: Array.from(plan.segmentLength),
    workload: Array.from(plan.workload),
    poolSkew,
    stepSkew,
    arrivalSkew,
    bound,
    tokens,
    targets,
    ...(plan.repacked === undefined ? {} : { repacked: plan.repacked }),
    hash: planHash(plan),
  };
}

function stepOf(record: Record<string, unknown>, header: PlanHeader): StepPlan {
  const { window, dp, microSteps, poolSize, sync, placement, alignment } = header;
  const column = (name: string) => (Array.isArray(record[name]) ? (record[name] as number[]) : []);
  const number = (name: string) => Number(record[name]);
  return Object.freeze({
    epoch: number("epoch"),
    step: number("step"),
    window,
    dp,
    microSteps,
    poolSize,
    sync,
    placement,
    alignment,
    sequence: Uint32Array.from(column("sequence"), (index) => (index < 0 ? noSequence : index)),
    weight: Uint8Array.from(column("weight")),
    segmentOffsets: Uint32Array.from(column("segmentOffsets")),
    segmentDocument: Uint32Array.from(column("segmentDocument")),
    segmentStart: Uint32Array.from(column("segmentStart")),
    segmentLength: Uint32Array.from(column("segmentLength")),
    workload: Float64Array.from(column("workload")),
    poolSkew: number("poolSkew"),
    stepSkew: number("stepSkew"),
    arrivalSkew: number("arrivalSkew"),
    bound: number("bound"),
    tokens: number("tokens"),
    targets: number("targets"),
    ...(record.repacked === undefined
      ? {}
      : { repacked: record.repacked as NonNullable<StepPlan["repacked"]> }),
  });
}

function parse(line: string, path: string, offset: number, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw damaged(path, offset, `JSON on ${where}`, (error as Error).message, error);
  }
  throw damaged(path, offset, `a JSON object on ${where}`, line.slice(0, 60));
}
