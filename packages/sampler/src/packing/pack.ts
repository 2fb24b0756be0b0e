import { LibraError } from "@libra/base";
import { concatSplit } from "./concat-split.js";
import type { PackedEpoch, PackingName, PackingOptions } from "./types.js";

type Packer = (lengths: Uint32Array, order: Uint32Array, options: PackingOptions) => PackedEpoch;

const packers: Partial<Record<PackingName, Packer>> = { concatSplit };

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
  const packer = packers[options.packing];
  if (!packer) throw new LibraError("INTERNAL", `no packer named ${options.packing}`);
  return packer(lengths, order, options);
}
