import { bestFit } from "./best-fit.js";
import { concatSplit } from "./concat-split.js";
import { sequential } from "./sequential.js";
import type { PackedEpoch, PackingName, PackingOptions } from "./types.js";

type Packer = (lengths: Uint32Array, order: Uint32Array, options: PackingOptions) => PackedEpoch;

const packers: Record<PackingName, Packer> = { concatSplit, bestFit, sequential };

/**
 * Packs one epoch.
 *
 * @param lengths - tokens of each document
 * @param order - documents in the epoch's order; taken over by the result
 * @throws LibraError LENGTHS when nothing is usable, or an overlong document is refused
 */
export function pack(
  lengths: Uint32Array,
  order: Uint32Array,
  options: PackingOptions,
): PackedEpoch {
  return packers[options.packing](lengths, order, options);
}
