import { xxh64 } from "@libra/base";
import { gather } from "./gather.js";

/**
 * Identity of a list of lengths, whatever file it came from: XXH64 over its little-endian u32
 * values.
 *
 * @param lengths - document lengths in tokens, whole or in chunks
 * @returns 16 lower-case hexadecimal digits
 */
export async function lengthsFingerprint(
  lengths: Uint32Array | AsyncIterable<Uint32Array>,
): Promise<string> {
  return xxh64([lengths instanceof Uint32Array ? lengths : await gather(lengths, undefined)]);
}
