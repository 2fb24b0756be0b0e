import { maxLength } from "../lengths.js";
import { takeIn } from "./intake.js";
import { makeReport } from "./report.js";
import { aligned, type PackedEpoch, type PackingOptions, type SegmentTable } from "./types.js";

/**
 * Documents end to end, cut at the window's edge; attention restarts after a cut. This is what
 * Megatron's GPT data set does.
 *
 * Held per epoch: the order and the lengths in that order (8 bytes a document), so that steps are
 * read front to back, and where each sequence begins (8 bytes a sequence).
 *
 * @param order - the epoch's documents; taken over, documents that are left out are removed in it
 */
export function concatSplit(
  lengths: Uint32Array,
  order: Uint32Array,
  options: PackingOptions,
): PackedEpoch {
  const { window, alignment, overlong } = options;
  const intake = takeIn(lengths, options);
  const count = Math.ceil(intake.alignedTokens / window);
  const first = new Uint32Array(count + 1);
  const skip = new Uint32Array(count + 1);
  // A loop of its own: nothing but loads, so that the processor fetches many at once.
  const ordered = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) ordered[i] = lengths[order[i]!]!;
  const cap = overlong === "split" ? maxLength : window;
  const drops = overlong === "drop";
  let used = 0;
  let room = window;
  let sequence = 0;
  let segments = 0;
  let split = 0;
  for (let i = 0; i < order.length; i++) {
    let rest = ordered[i]!;
    if (rest > cap) rest = drops ? 0 : cap;
    if (rest === 0) continue;
    order[used] = order[i]!;
    ordered[used] = rest;
    const before = segments;
    let taken = 0;
    for (;;) {
      if (room === 0) {
        sequence++;
        first[sequence] = used;
        skip[sequence] = taken;
        room = window;
      }
      segments++;
      if (rest <= room) break;
      taken += room;
      rest -= room;
      room = 0;
    }
    room -= aligned(rest, alignment);
    if (segments > before + 1) split++;
    used++;
  }
  first[count] = used;
  const fullCount = Math.floor(intake.alignedTokens / window);
  const report = makeReport(options, intake, { count, fullCount, split, segments });
  return { count, fullCount, report, segments: read };

  function read(from: number, to: number): SegmentTable {
    let size = 0;
    for (let s = from; s < to; s++) size += segmentsOf(s);
    const offsets = new Uint32Array(to - from + 1);
    const documents = new Uint32Array(size);
    const starts = new Uint32Array(size);
    const parts = new Uint32Array(size);
    let at = 0;
    for (let s = from; s < to; s++) {
      let position = first[s]!;
      let start = skip[s]!;
      let left = window;
      for (let k = segmentsOf(s); k > 0; k--) {
        const part = Math.min(ordered[position]! - start, left);
        documents[at] = order[position]!;
        starts[at] = start;
        parts[at] = part;
        at++;
        left -= aligned(part, alignment);
        position++;
        start = 0;
      }
      offsets[s - from + 1] = at;
    }
    return { offsets, document: documents, start: starts, length: parts };
  }

  function segmentsOf(s: number): number {
    return first[s + 1]! - first[s]! + (skip[s + 1]! > 0 ? 1 : 0);
  }
}
