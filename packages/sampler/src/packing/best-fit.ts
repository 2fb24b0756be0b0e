import { descendingLengths } from "../placement/sort.js";
import { CapacityIndex } from "./capacity-index.js";
import { takeIn } from "./intake.js";
import { aligned, type PackedEpoch, type PackingOptions } from "./types.js";
import { eachPiece, packedPieces } from "./whole-documents.js";

/**
 * Whole documents, best fit decreasing among `lookAhead` pieces at a time: the longest first, each
 * into the open sequence whose room it fills best. The sequences of one look-ahead come in the order
 * of their earliest piece, so that long documents stay where the epoch's order put them.
 */
export function bestFit(
  lengths: Uint32Array,
  order: Uint32Array,
  options: PackingOptions,
): PackedEpoch {
  const { window, alignment, lookAhead } = options;
  const intake = takeIn(lengths, options);
  const document = new Uint32Array(intake.pieces);
  const start = new Uint32Array(intake.pieces);
  const offsets = new Uint32Array(intake.pieces + 1);
  const size = Math.min(lookAhead, intake.pieces);
  // Rooms in units of the alignment.
  const rooms = new CapacityIndex(window / alignment, size);
  const buffer = {
    document: new Uint32Array(size),
    start: new Uint32Array(size),
    units: new Uint32Array(size),
    bin: new Uint32Array(size),
    count: 0,
  };
  let sequences = 0;
  let written = 0;
  eachPiece(lengths, order, options, (index, first, length) => {
    const at = buffer.count++;
    buffer.document[at] = index;
    buffer.start[at] = first;
    buffer.units[at] = aligned(length, alignment) / alignment;
    if (buffer.count === size) flush();
  });
  flush();
  const pieces = { document, start, offsets: offsets.slice(0, sequences + 1) };
  return packedPieces(lengths, pieces, intake, options);

  function flush(): void {
    const { count, units, bin } = buffer;
    if (count === 0) return;
    const sorted = descendingLengths(units, count);
    let bins = 0;
    for (let i = 0; i < count; i++) {
      const piece = sorted[i]!;
      const room = rooms.leastRoom(units[piece]!);
      const chosen = room < 0 ? bins++ : rooms.take(room);
      bin[piece] = chosen;
      const left = (room < 0 ? window / alignment : room) - units[piece]!;
      if (left > 0) rooms.add(chosen, left);
    }
    rooms.clear();
    writeOut(bins);
    buffer.count = 0;
  }

  // Counting sort of the pieces by sequence, sequences numbered by their first piece.
  function writeOut(bins: number): void {
    const { count, bin } = buffer;
    const rank = new Int32Array(bins).fill(-1);
    const next = new Uint32Array(bins + 1);
    let seen = 0;
    for (let i = 0; i < count; i++) {
      if (rank[bin[i]!]! < 0) rank[bin[i]!] = seen++;
      next[rank[bin[i]!]! + 1]!++;
    }
    for (let b = 0; b < bins; b++) {
      next[b + 1]! += next[b]!;
      offsets[sequences + b + 1] = written + next[b + 1]!;
    }
    for (let i = 0; i < count; i++) {
      const at = written + next[rank[bin[i]!]!]!++;
      document[at] = buffer.document[i]!;
      start[at] = buffer.start[i]!;
    }
    sequences += bins;
    written += count;
  }
}
