import type { ByteFile } from "./byte-file.js";
import { decodeNumbers, type NumberType } from "./integers.js";
import type { MdsColumn } from "./mds-index.js";

/** Where one value of one sample lies. */
export interface ValuePlace {
  offset: number;
  size: number;
}

// streaming/base/format/mds/encodings.py: scalars are little-endian of the named type, `int` is int64.
const scalars: Record<string, NumberType> = {
  int: { kind: "signed", size: 8, littleEndian: true },
  ...Object.fromEntries(
    ([1, 2, 4, 8] as const).flatMap((size) => [
      [`int${8 * size}`, { kind: "signed", size, littleEndian: true }],
      [`uint${8 * size}`, { kind: "unsigned", size, littleEndian: true }],
    ]),
  ),
  float32: { kind: "float", size: 4, littleEndian: true },
  float64: { kind: "float", size: 8, littleEndian: true },
};
const valueTypeCodes: Record<number, string> = {
  8: "uint8",
  9: "int8",
  16: "uint16",
  17: "int16",
  32: "uint32",
  33: "int32",
  64: "uint64",
  65: "int64",
};

export function scalarType(encoding: string): NumberType | undefined {
  return Object.hasOwn(scalars, encoding) ? scalars[encoding] : undefined;
}

/** Whether a column holds arrays, whose sizes are lengths. */
export function isArrayEncoding(encoding: string): boolean {
  return encoding === "ndarray" || encoding.startsWith("ndarray:") || encoding === "bytes";
}

/** An array's type, shape and the place of its numbers, from its first bytes. */
export interface ArrayValue {
  shape: number[];
  type: NumberType | undefined;
  numbers: ValuePlace;
}

/**
 * The header of an `ndarray` value: an optional byte of type, then an optional byte `ndim·4 + k` with
 * `ndim` sizes of 2^k bytes.
 */
export function readArrayValue(file: ByteFile, column: MdsColumn, place: ValuePlace): ArrayValue {
  const [, typeName, shapeText] = column.encoding.split(":");
  const longest = Math.min(place.size, 2 + 8 * 8);
  const head = file.readNow(place.offset, longest, `a value of ${column.name}`);
  let at = 0;
  let name = typeName;
  if (name === undefined) {
    name = valueTypeCodes[head[at] ?? 0];
    if (name === undefined) {
      throw file.damaged(place.offset, "the code of an integer type", String(head[at]));
    }
    at++;
  }
  let shape = shapeText?.split(",").map(Number);
  if (shape === undefined) {
    const dimensions = (head[at] ?? 0) >> 2;
    const size = (2 ** ((head[at] ?? 0) & 3)) as NumberType["size"];
    const end = at + 1 + dimensions * size;
    if (dimensions === 0 || end > head.length) {
      throw file.damaged(place.offset + at, "an array of 1 to 8 dimensions", `${dimensions}`);
    }
    shape = [
      ...decodeNumbers(head.subarray(at + 1, end), { kind: "unsigned", size, littleEndian: true }),
    ];
    at = end;
  }
  const type = scalarType(name);
  const numbers = { offset: place.offset + at, size: place.size - at };
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (type !== undefined && count * type.size !== numbers.size) {
    const wanted = `${count} numbers of ${type.size} bytes`;
    throw file.damaged(numbers.offset, wanted, `${numbers.size} bytes`);
  }
  return { shape, type, numbers };
}
