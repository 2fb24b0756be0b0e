import type { ByteFile } from "./byte-file.js";
import { damaged, refused, refusedPickle } from "./format-error.js";
import type { NumberType } from "./integers.js";

/** What the header of a NumPy array says. */
export interface NpyHeader {
  type: NumberType;
  shape: number[];
  fortranOrder: boolean;
  /** Bytes from the start of the array's file to its first number. */
  dataOffset: number;
}

const magic = "\x93NUMPY";
// NumPy refuses headers above 10,000 bytes for the same reason: a damaged count.
const longestHeader = 65536;

export function isNpy(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 6)).toString("latin1") === magic;
}

/** Reads bytes at an offset of the array's own file: plain, inside a zip, inside a tar. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array> | Uint8Array;

/**
 * Parses a `.npy` header of format version 1, 2 or 3.
 *
 * @param where - the file, for errors, and the byte of that file at which the array starts
 * @throws LibraError `FORMAT` for damage, `UNSUPPORTED` for pickled objects and other types than
 *   integers and floats
 */
export async function readNpyHeader(
  read: ReadAt,
  where: { path: string; offset: number },
): Promise<NpyHeader> {
  const { path, offset } = where;
  const start = await read(0, 10);
  if (!isNpy(start)) throw damaged(path, offset, "NumPy's magic \\x93NUMPY", hex(start));
  const version = start[6]!;
  if (version < 1 || version > 3) {
    throw damaged(path, offset + 6, "npy version 1, 2 or 3", String(version));
  }
  const wide = version > 1;
  const rest = wide ? await read(10, 2) : new Uint8Array(0);
  const length = start[8]! + 256 * start[9]! + 65536 * (rest[0] ?? 0) + 2 ** 24 * (rest[1] ?? 0);
  if (length > longestHeader) {
    throw damaged(path, offset + 8, `a header of at most ${longestHeader} bytes`, String(length));
  }
  const textOffset = wide ? 12 : 10;
  const text = Buffer.from(await read(textOffset, length)).toString("utf8");
  return parse(text, path, offset + textOffset, textOffset + length);
}

/** As {@link readNpyHeader}, for a file of its own. */
export function readNpyFileHeader(file: ByteFile): Promise<NpyHeader> {
  return readNpyHeader((offset, length) => file.read(offset, length, "a NumPy header"), {
    path: file.path,
    offset: 0,
  });
}

/** Numbers in the array. */
export function npyCount(header: NpyHeader): number {
  return header.shape.reduce((product, size) => product * size, 1);
}

function parse(text: string, path: string, offset: number, dataOffset: number): NpyHeader {
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([^)]*)\)/.exec(text)?.[1];
  if (descr === undefined && /'descr'\s*:\s*\[/.test(text)) {
    throw refused(
      path,
      "the array has named fields",
      "Save the field that holds the lengths alone",
    );
  }
  if (descr === undefined || order === undefined || shape === undefined) {
    throw damaged(path, offset, "a dictionary of descr, fortran_order and shape", shown(text));
  }
  const sizes = shape
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (!sizes.every((size) => /^\d{1,15}$/.test(size))) {
    throw damaged(path, offset, "a shape of integers", shown(shape));
  }
  return {
    type: numberType(descr, path, offset),
    shape: sizes.map(Number),
    fortranOrder: order === "True",
    dataOffset,
  };
}

function numberType(descr: string, path: string, offset: number): NumberType {
  if (descr.includes("O")) throw refusedPickle(path, "an array of Python objects");
  const match = /^([<>|=])([iuf])([1248])$/.exec(descr);
  if (match === null) {
    throw damaged(path, offset, "an array of integers", `the NumPy type ${shown(descr)}`);
  }
  const size = Number(match[3]) as NumberType["size"];
  const kind = match[2] === "i" ? "signed" : match[2] === "u" ? "unsigned" : "float";
  if (kind === "float" && size < 4) {
    throw damaged(path, offset, "an array of integers", `the NumPy type ${shown(descr)}`);
  }
  return { kind, size, littleEndian: match[1] !== ">" };
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}

function hex(bytes: Uint8Array): string {
  return `bytes ${Buffer.from(bytes.subarray(0, 6)).toString("hex")}`;
}
