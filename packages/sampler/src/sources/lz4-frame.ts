/**
 * Decompresses an LZ4 frame (the format Arrow's buffers use), block after block.
 *
 * @param size - bytes that must come out
 * @throws RangeError for damage
 */
export async function decompressLz4Frame(input: Uint8Array, size: number): Promise<Uint8Array> {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (view.getUint32(0, true) !== 0x184d2204) throw new RangeError("no LZ4 frame");
  const flags = view.getUint8(4);
  const hasSize = (flags & 0x08) !== 0;
  const hasBlockChecksum = (flags & 0x10) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  const output = new Uint8Array(size);
  let filled = 0;
  for (;;) {
    const header = view.getUint32(at, true);
    at += 4;
    if (header === 0) break;
    const length = header & 0x7fffffff;
    if (at + length > input.length) throw new RangeError("an LZ4 block that is cut");
    const block = input.subarray(at, at + length);
    if (header >>> 31 === 1) {
      output.set(block, filled);
      filled += length;
    } else filled = decompressBlock(block, output, filled);
    at += length + (hasBlockChecksum ? 4 : 0);
  }
  if (filled !== size) throw new RangeError(`${filled} bytes where ${size} belong`);
  return output;
}

// Matches may reach back into earlier blocks, so that all blocks share one output.
function decompressBlock(block: Uint8Array, output: Uint8Array, start: number): number {
  let at = 0;
  let filled = start;
  const byte = (): number => {
    const value = block[at++];
    if (value === undefined) throw new RangeError("an LZ4 block that is cut");
    return value;
  };
  const extended = (first: number): number => {
    let length = first;
    if (first === 15) {
      for (let more = 255; more === 255; ) {
        more = byte();
        length += more;
      }
    }
    return length;
  };
  while (at < block.length) {
    const token = byte();
    const literals = extended(token >> 4);
    if (at + literals > block.length || filled + literals > output.length) {
      throw new RangeError("LZ4 literals beyond the end");
    }
    output.set(block.subarray(at, at + literals), filled);
    at += literals;
    filled += literals;
    if (at === block.length) break;
    const distance = byte() + 256 * byte();
    const length = extended(token & 15) + 4;
    if (distance === 0 || distance > filled || filled + length > output.length) {
      throw new RangeError("an LZ4 match beyond the data");
    }
    for (let i = 0; i < length; i++, filled++) output[filled] = output[filled - distance]!;
  }
  return filled;
}
