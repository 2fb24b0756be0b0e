import { decodeNumbers, type NumberType } from "./integers.js";

/** Decoders fail with RangeError on damage; the file's reader turns that into its own error. */
class Cursor {
  at = 0;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new RangeError("encoded values end early");
    return value;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
      if (scale > 2 ** 49) throw new RangeError("a number that does not end");
    }
  }

  wideVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return (value >> 1n) ^ -(value & 1n);
    }
    throw new RangeError("a number that does not end");
  }
}

/**
 * Parquet's hybrid of runs and bit-packed groups of eight.
 *
 * @param width - bits of one value, 0 to 32
 * @param count - values wanted; more in the data are padding
 */
export function decodeHybrid(bytes: Uint8Array, width: number, count: number): Uint32Array {
  const values = new Uint32Array(count);
  if (width === 0) return values;
  if (width > 32) throw new RangeError(`values of ${width} bits`);
  const cursor = new Cursor(bytes);
  let filled = 0;
  while (filled < count) {
    const header = cursor.varint();
    const half = Math.floor(header / 2);
    if (header % 2 === 0) {
      let value = 0;
      for (let scale = 1; scale < 2 ** width; scale *= 256) value += cursor.byte() * scale;
      const end = Math.min(count, filled + half);
      values.fill(value, filled, end);
      filled = end;
    } else {
      const packed = Math.min(8 * half, count - filled);
      for (let i = 0; i < packed; i++) values[filled + i] = bits(cursor, width, i);
      filled += packed;
      cursor.at += half * width;
    }
    if (half === 0) throw new RangeError("a run of no values");
  }
  return values;
}

// Value `index` of a bit-packed group that starts at the cursor, least significant bit first.
function bits(cursor: Cursor, width: number, index: number): number {
  let position = index * width;
  let value = 0;
  for (let got = 0; got < width; ) {
    const byte = cursor.bytes[cursor.at + Math.floor(position / 8)];
    if (byte === undefined) throw new RangeError("bit-packed values end early");
    const skip = position % 8;
    const take = Math.min(8 - skip, width - got);
    value += ((byte >> skip) & ((1 << take) - 1)) * 2 ** got;
    got += take;
    position += take;
  }
  return value;
}

/** DELTA_BINARY_PACKED, in arithmetic modulo 2^64 as the format asks. */
export function decodeDelta(bytes: Uint8Array, count: number): Float64Array {
  const cursor = new Cursor(bytes);
  const blockSize = cursor.varint();
  const blockParts = cursor.varint();
  cursor.varint();
  const perPart = blockSize / blockParts;
  if (!Number.isInteger(perPart) || perPart === 0 || perPart % 8 !== 0) {
    throw new RangeError(`delta blocks of ${blockSize} values in ${blockParts} parts`);
  }
  const values = new Float64Array(count);
  let value = cursor.wideVarint();
  let filled = 0;
  if (count > 0) values[filled++] = Number(value);
  while (filled < count) {
    const least = cursor.wideVarint();
    const widths = Array.from({ length: Math.min(blockParts, 1 << 16) }, () => cursor.byte());
    for (const width of widths) {
      if (width > 64) throw new RangeError(`deltas of ${width} bits`);
      for (let i = 0; i < perPart && filled < count; i++) {
        value = BigInt.asIntN(64, value + least + wideBits(cursor, width, i));
        values[filled++] = Number(value);
      }
      cursor.at += (perPart / 8) * width;
      if (filled === count) break;
    }
  }
  return values;
}

function wideBits(cursor: Cursor, width: number, index: number): bigint {
  let value = 0n;
  let got = 0;
  for (let position = index * width; got < width; ) {
    const byte = cursor.bytes[cursor.at + Math.floor(position / 8)];
    if (byte === undefined) throw new RangeError("deltas end early");
    const skip = position % 8;
    const take = Math.min(8 - skip, width - got);
    value |= BigInt((byte >> skip) & ((1 << take) - 1)) << BigInt(got);
    got += take;
    position += take;
  }
  return value;
}

/** BYTE_STREAM_SPLIT: all first bytes, then all second bytes, and so on. */
export function decodeSplit(bytes: Uint8Array, type: NumberType, count: number): Float64Array {
  const { size } = type;
  if (bytes.length < size * count) throw new RangeError("split values end early");
  const joined = new Uint8Array(size * count);
  for (let byte = 0; byte < size; byte++) {
    for (let i = 0; i < count; i++) joined[i * size + byte] = bytes[byte * count + i]!;
  }
  return decodeNumbers(joined, type);
}
