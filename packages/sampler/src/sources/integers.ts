/** How numbers lie in a file. */
export interface NumberType {
  kind: "signed" | "unsigned" | "float";
  /** Bytes of one number. */
  size: 1 | 2 | 4 | 8;
  littleEndian: boolean;
}

/**
 * Numbers as doubles: exact up to 2^53, and what lies above is no length anyway.
 *
 * @param bytes - a multiple of `type.size` bytes
 */
export function decodeNumbers(bytes: Uint8Array, type: NumberType): Float64Array {
  const { kind, size, littleEndian } = type;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.byteLength / size);
  const numbers = new Float64Array(count);
  const read = reader(view, kind, size, littleEndian);
  for (let i = 0; i < count; i++) numbers[i] = read(i * size);
  return numbers;
}

function reader(
  view: DataView,
  kind: NumberType["kind"],
  size: NumberType["size"],
  littleEndian: boolean,
): (offset: number) => number {
  if (kind === "float") {
    return size === 4
      ? (offset) => view.getFloat32(offset, littleEndian)
      : (offset) => view.getFloat64(offset, littleEndian);
  }
  const signed = kind === "signed";
  switch (size) {
    case 1:
      return signed ? (offset) => view.getInt8(offset) : (offset) => view.getUint8(offset);
    case 2:
      return signed
        ? (offset) => view.getInt16(offset, littleEndian)
        : (offset) => view.getUint16(offset, littleEndian);
    case 4:
      return signed
        ? (offset) => view.getInt32(offset, littleEndian)
        : (offset) => view.getUint32(offset, littleEndian);
    case 8: {
      // Two 32-bit halves: BigInt would be about twenty times slower.
      const low = littleEndian ? 0 : 4;
      const high = 4 - low;
      return signed
        ? (offset) =>
            view.getInt32(offset + high, littleEndian) * 2 ** 32 +
            view.getUint32(offset + low, littleEndian)
        : (offset) =>
            view.getUint32(offset + high, littleEndian) * 2 ** 32 +
            view.getUint32(offset + low, littleEndian);
    }
  }
}

const wide: NumberType = { kind: "unsigned", size: 8, littleEndian: true };

/** A little-endian u64 as a double; above 2^53 inexact, which callers' bounds refuse. */
export function readU64(bytes: Uint8Array, offset: number): number {
  return decodeNumbers(bytes.subarray(offset, offset + 8), wide)[0]!;
}

/** A little-endian u32. */
export function readU32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset, true);
}
