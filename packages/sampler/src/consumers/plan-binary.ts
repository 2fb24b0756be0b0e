import { LibraError } from "@libra/base";
import type { StepPlan } from "../plan/step-plan.js";
import { writeAtomically } from "./atomic-file.js";
import {
  headerOf,
  noSteps,
  type PlanHeader,
  type Plans,
  planFileVersion,
  requireSameShape,
} from "./plan-header.js";
import type { PlanFileOptions } from "./plan-ndjson.js";

/** First eight bytes of the file. */
export const planMagic = "LIBRAPLN";
/** Words of the header. */
export const planHeaderWords = 32;
/** How `sync` is coded in word 10. */
export const syncCodes = ["step", "microStep", "pipeline"] as const;

const limit = 2 ** 32;

/**
 * Writes a plan as one file of little-endian u32 words, whole or not at all, which NumPy maps without
 * parsing (`examples/pytorch` reads it):
 *
 * - header, 32 words: `LIBRAPLN` (2), version, header words, steps, slots of a step, dp, microSteps,
 *   poolSize, window, sync (0 step, 1 microStep, 2 pipeline), alignment, offset of the table in words
 *   (low, high), XXH64 of the corpus's lengths (low, high; zeros where not said), zeros;
 * - for each step: epoch, step, number of segments, 0; `sequence` of each slot (2^32 − 1: a filler);
 *   `weight` of each slot; slots + 1 segment offsets (compressed sparse rows); document, first token
 *   and length of each segment;
 * - the table: where each step begins, in words (low, high).
 *
 * @returns steps written
 * @throws as `writePlanNdjson`; `PLAN` also for an epoch or step of 2^32 and more
 */
export function writePlanBinary(
  path: string,
  plans: Plans,
  options: PlanFileOptions = {},
): Promise<number> {
  return writeAtomically(path, options, async (file) => {
    let header: PlanHeader | undefined;
    const starts: number[] = [];
    await file.write(new Uint8Array(4 * planHeaderWords));
    for await (const plan of plans) {
      header ??= headerOf(plan, options.fingerprint);
      requireSameShape(plan, header);
      starts.push(file.written / 4);
      await file.write(bytesOf(stepWords(plan)));
    }
    if (header === undefined) throw noSteps(path);
    const table = file.written / 4;
    await file.write(bytesOf(Uint32Array.from(starts.flatMap(halves))));
    await file.write(bytesOf(headerWords(header, starts.length, table)), 0);
    return starts.length;
  });
}

function stepWords(plan: StepPlan): Uint32Array {
  const { epoch, step, sequence, weight, segmentOffsets, segmentDocument } = plan;
  if (epoch >= limit || step >= limit) {
    throw new LibraError("PLAN", `Step ${step} of epoch ${epoch} does not fit in 32 bits`);
  }
  const segments = segmentDocument.length;
  const words = new Uint32Array(4 + 3 * sequence.length + 1 + 3 * segments);
  words.set([epoch, step, segments, 0]);
  let at = 4;
  for (const column of [
    sequence,
    weight,
    segmentOffsets,
    segmentDocument,
    plan.segmentStart,
    plan.segmentLength,
  ]) {
    words.set(column, at);
    at += column.length;
  }
  return words;
}

function headerWords(header: PlanHeader, steps: number, table: number): Uint32Array {
  const { dp, microSteps, poolSize, window, sync, alignment, fingerprint } = header;
  const words = new Uint32Array(planHeaderWords);
  new Uint8Array(words.buffer).set(Buffer.from(planMagic, "latin1"));
  const hash = fingerprint ?? "0".repeat(16);
  words.set(
    [
      planFileVersion,
      planHeaderWords,
      steps,
      dp * microSteps,
      dp,
      microSteps,
      poolSize,
      window,
      syncCodes.indexOf(sync),
      alignment,
      ...halves(table),
      Number.parseInt(hash.slice(8), 16),
      Number.parseInt(hash.slice(0, 8), 16),
    ],
    2,
  );
  return words;
}

function halves(value: number): [low: number, high: number] {
  return [value % limit, Math.floor(value / limit)];
}

// Node runs on little-endian machines only, so the words' own bytes are the file's.
function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
