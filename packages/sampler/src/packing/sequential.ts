import { takeIn } from "./intake.js";
import { aligned, type PackedEpoch, type PackingOptions } from "./types.js";
import { eachPiece, packedPieces } from "./whole-documents.js";

/**
 * Whole documents in order; a document that does not fit into what is left of the window begins the
 * next one.
 */
export function sequential(
  lengths: Uint32Array,
  order: Uint32Array,
  options: PackingOptions,
): PackedEpoch {
  const { window, alignment } = options;
  const intake = takeIn(lengths, options);
  const document = new Uint32Array(intake.pieces);
  const start = new Uint32Array(intake.pieces);
  const offsets = new Uint32Array(intake.pieces + 1);
  let at = 0;
  let sequence = 0;
  let room = window;
  eachPiece(lengths, order, options, (index, first, length) => {
    const size = aligned(length, alignment);
    if (size > room) {
      sequence++;
      offsets[sequence] = at;
      room = window;
    }
    document[at] = index;
    start[at++] = first;
    room -= size;
  });
  offsets[sequence + 1] = at;
  const pieces = { document, start, offsets: offsets.slice(0, sequence + 2) };
  return packedPieces(lengths, pieces, intake, options);
}
