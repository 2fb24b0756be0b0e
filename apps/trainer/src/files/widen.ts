import type { ElementType } from "./safetensors-header.js";

/**
 * The values of little-endian bytes: bfloat16 and float16 as float32 (exact), 64-bit integers as int32
 * (token ids fit), float32, float64 and int32 as they are.
 */
export function widen(
  type: ElementType,
  bytes: Uint8Array,
): Float32Array | Float64Array | Int32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  switch (type) {
    case "F32":
      return new Float32Array(buffer, byteOffset, byteLength / 4);
    case "F64":
      return new Float64Array(buffer, byteOffset, byteLength / 8);
    case "I32":
      return new Int32Array(buffer, byteOffset, byteLength / 4);
    case "I64":
      return Int32Array.from(new BigInt64Array(buffer, byteOffset, byteLength / 8), Number);
    case "U8":
      return Int32Array.from(bytes);
    case "BF16": {
      const wide = Uint32Array.from(
        new Uint16Array(buffer, byteOffset, byteLength / 2),
        (bits) => bits << 16,
      );
      return new Float32Array(wide.buffer);
    }
    case "F16":
      return Float32Array.from(new Uint16Array(buffer, byteOffset, byteLength / 2), halfToFloat);
  }
}

function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
