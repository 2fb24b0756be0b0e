import { basename } from "node:path";
import { type ByteFile, type Meter, streamFile, withFile } from "./byte-file.js";
import { checkedLengths, chunkDocuments, OffsetDifferences } from "./checked-lengths.js";
import { damaged } from "./format-error.js";
import { decodeNumbers } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { type NpyHeader, npyCount, readNpyFileHeader } from "./npy-header.js";

/** Lengths (or offsets) of a one-dimensional NumPy array of numbers; the whole array is read. */
export async function openNpy(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const header = await withFile(path, meter, async (file) => checkNpyFile(file));
  const asOffsets = meansOffsets(basename(path), options);
  const count = npyCount(header);
  return lengthSource({
    format: "npy",
    path,
    total: asOffsets ? Math.max(0, count - 1) : count,
    notes: asOffsets ? ["numbers read as offsets; lengths are their differences"] : [],
    meter,
    chunks: () =>
      streamFile(path, meter, (file) =>
        lengthsOfArray(pieces(file, header), header, { path, start: 0, asOffsets }),
      ),
  });
}

/** Whether numbers are offsets: asked for, or said by the file's name. */
export function meansOffsets(name: string, options: SourceOptions): boolean {
  return options.values === undefined ? /offset/i.test(name) : options.values === "offsets";
}

/** The header of a one-dimensional array whose file is as long as the header says. */
export async function checkNpyFile(file: ByteFile): Promise<NpyHeader> {
  const header = await readNpyFileHeader(file);
  checkVector(header, file.path, 0);
  const wanted = header.dataOffset + npyCount(header) * header.type.size;
  if (file.size !== wanted) {
    throw file.damaged(
      header.dataOffset,
      `${npyCount(header)} numbers of ${header.type.size} bytes, ${wanted} bytes in all`,
      `a file of ${file.size} bytes`,
    );
  }
  return header;
}

/** @throws LibraError `FORMAT` unless the array has one dimension */
export function checkVector(header: NpyHeader, path: string, offset: number): void {
  if (header.shape.length === 1) return;
  const shape = `(${header.shape.join(", ")})`;
  throw damaged(path, offset, "an array of one dimension", `the shape ${shape}`);
}

/**
 * Lengths out of an array's raw bytes.
 *
 * @param raw - pieces whose sizes are multiples of the number's size
 * @param where - the file, the byte at which the array starts, and what its numbers mean
 */
export async function* lengthsOfArray(
  raw: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  header: NpyHeader,
  where: { path: string; start: number; asOffsets: boolean },
): AsyncGenerator<Uint32Array> {
  const { path, start, asOffsets } = where;
  const byteOf = (index: number) => start + header.dataOffset + index * header.type.size;
  const differences = new OffsetDifferences(path, byteOf);
  let seen = 0;
  for await (const bytes of raw) {
    const numbers = decodeNumbers(bytes, header.type);
    yield asOffsets ? differences.push(numbers) : checkedLengths(numbers, seen, path);
    seen += numbers.length;
  }
}

function pieces(file: ByteFile, header: NpyHeader): AsyncGenerator<Uint8Array> {
  return file.pieces(header.dataOffset, file.size, chunkDocuments * header.type.size);
}
