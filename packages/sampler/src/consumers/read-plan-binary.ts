import { LibraError, requireInteger } from "@libra/base";
import { type ByteFile, withFile } from "../sources/byte-file.js";
import { readU32, readU64 } from "../sources/integers.js";
import { planHeaderWords, planMagic, syncCodes } from "./plan-binary.js";
import { planFileVersion } from "./plan-header.js";

/** One step of a binary plan file, as views of its words. */
export interface StoredStep {
  readonly epoch: number;
  readonly step: number;
  /** Slot → index of the packed sequence; 2^32 − 1 for a filler. */
  readonly sequence: Uint32Array;
  readonly weight: Uint32Array;
  readonly segmentOffsets: Uint32Array;
  readonly segmentDocument: Uint32Array;
  readonly segmentStart: Uint32Array;
  readonly segmentLength: Uint32Array;
}

/** A binary plan file. Each {@link StoredPlan.read} opens it, reads one step and closes it. */
export interface StoredPlan {
  readonly steps: number;
  readonly dp: number;
  readonly microSteps: number;
  readonly poolSize: number;
  readonly window: number;
  readonly sync: (typeof syncCodes)[number];
  readonly alignment: number;
  /** XXH64 of the corpus's lengths; null where the writer did not say. */
  readonly fingerprint: string | null;
  /** Step `index`, counted from the file's first. */
  read(index: number): Promise<StoredStep>;
}

/**
 * Opens a plan that `writePlanBinary` wrote.
 *
 * @throws LibraError `FORMAT` for damage, `ARGUMENT` for a missing file or a step it does not have
 */
export async function openPlanBinary(path: string): Promise<StoredPlan> {
  const words = await withFile(path, { bytes: 0 }, readHeader);
  const slots = words[5]!;
  const table = words[12]! + words[13]! * 2 ** 32;
  const hash = [words[15]!, words[14]!].map((half) => half.toString(16).padStart(8, "0")).join("");
  return Object.freeze({
    steps: words[4]!,
    dp: words[6]!,
    microSteps: words[7]!,
    poolSize: words[8]!,
    window: words[9]!,
    sync: syncCodes[words[10]!]!,
    alignment: words[11]!,
    fingerprint: /^0+$/.test(hash) ? null : hash,
    read: async (index: number) => {
      requireInteger(index, "step", 0, words[4]! - 1);
      return withFile(path, { bytes: 0 }, (file) => readStep(file, table, index, slots));
    },
  });
}

async function readHeader(file: ByteFile): Promise<Uint32Array> {
  const bytes = await file.read(0, 4 * planHeaderWords, "the header of a Libra plan");
  const magic = Buffer.from(bytes.subarray(0, 8)).toString("latin1");
  if (magic !== planMagic) throw file.damaged(0, planMagic, JSON.stringify(magic));
  const words = new Uint32Array(bytes.buffer);
  if (words[2] !== planFileVersion || words[3] !== planHeaderWords) {
    throw file.damaged(8, `plan version ${planFileVersion}`, String(words[2]));
  }
  const end = 4 * (words[12]! + words[13]! * 2 ** 32) + 8 * words[4]!;
  if (end !== file.size || words[5] !== words[6]! * words[7]! || words[10]! >= syncCodes.length) {
    throw file.damaged(16, `a plan of ${end} bytes`, `a file of ${file.size} bytes`);
  }
  return words;
}

async function readStep(
  file: ByteFile,
  table: number,
  index: number,
  slots: number,
): Promise<StoredStep> {
  const start = 4 * readU64(await file.read(4 * table + 8 * index, 8), 0);
  const head = await file.read(start, 16, "a step of a Libra plan");
  const segments = readU32(head, 8);
  const size = 4 * (3 * slots + 1 + 3 * segments);
  const bytes = await file.read(start + 16, size, `a step with ${segments} segments`);
  const words = new Uint32Array(bytes.buffer);
  let at = 0;
  const take = (count: number) => {
    at += count;
    return words.subarray(at - count, at);
  };
  const step = {
    epoch: readU32(head, 0),
    step: readU32(head, 4),
    sequence: take(slots),
    weight: take(slots),
    segmentOffsets: take(slots + 1),
    segmentDocument: take(segments),
    segmentStart: take(segments),
    segmentLength: take(segments),
  };
  if (step.segmentOffsets[slots] !== segments) {
    throw new LibraError("FORMAT", `${file.path}: step ${index} has damaged segment offsets`);
  }
  return Object.freeze(step);
}
