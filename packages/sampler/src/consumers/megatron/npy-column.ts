import { LibraError } from "@libra/base";
import { type ByteFile, withFile } from "../../sources/byte-file.js";
import { decodeNumbers } from "../../sources/integers.js";
import { type NpyHeader, npyCount, readNpyFileHeader } from "../../sources/npy-header.js";

/** A whole NumPy array of integers, with what it takes to write one of the same kind. */
export interface NpyColumn {
  path: string;
  shape: number[];
  /** Row-major; a view of the file's bytes where the type allows. */
  values: Int16Array | Int32Array | Uint32Array | Float64Array;
  /** The file's bytes before the numbers. */
  head: Uint8Array;
  header: NpyHeader;
}

/**
 * Reads an index array of Megatron's cache.
 *
 * @param dimensions - how many it must have
 * @throws LibraError `FORMAT` for anything but a whole little-endian integer array
 */
export function readNpyColumn(path: string, dimensions: number): Promise<NpyColumn> {
  return withFile(path, { bytes: 0 }, async (file) => {
    const header = await readNpyFileHeader(file);
    const { type, shape, fortranOrder, dataOffset } = header;
    const isWhole = file.size === dataOffset + npyCount(header) * type.size;
    if (!isWhole) {
      const wanted = `${npyCount(header)} numbers of ${type.size} bytes`;
      throw file.damaged(dataOffset, wanted, `${file.size - dataOffset} bytes`);
    }
    const isOther = type.kind === "float" || !type.littleEndian || (fortranOrder && dimensions > 1);
    if (shape.length !== dimensions || isOther) {
      const found = `shape (${shape.join(", ")}), ${type.kind}, ${type.size} bytes`;
      throw file.damaged(0, `integers in ${dimensions} dimension(s)`, found);
    }
    return { path, shape, header, ...(await contents(file, header)) };
  });
}

async function contents(
  file: ByteFile,
  { type, dataOffset }: NpyHeader,
): Promise<Pick<NpyColumn, "values" | "head">> {
  const head = await file.read(0, dataOffset);
  const bytes = await file.read(dataOffset, file.size - dataOffset);
  if (type.size === 4) {
    const values =
      type.kind === "signed" ? new Int32Array(bytes.buffer) : new Uint32Array(bytes.buffer);
    return { head, values };
  }
  if (type.size === 2 && type.kind === "signed") {
    return { head, values: new Int16Array(bytes.buffer) };
  }
  return { head, values: decodeNumbers(bytes, type) };
}

/** The file's bytes with its numbers in another order: row `i` becomes `values[order[i]]`. */
export function reordered(column: NpyColumn, order: ArrayLike<number>): Uint8Array {
  const { head, values, header } = column;
  if (values.length !== order.length) {
    throw new LibraError("INTERNAL", `${column.path}: an order of ${order.length} numbers`);
  }
  const { size, kind } = header.type;
  const bytes = new Uint8Array(head.length + values.length * size);
  bytes.set(head);
  const view = new DataView(bytes.buffer, head.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[order[i]!]!;
    if (size === 2) view.setInt16(2 * i, value, true);
    else if (size === 4 && kind === "unsigned") view.setUint32(4 * i, value, true);
    else if (size === 4) view.setInt32(4 * i, value, true);
    else {
      view.setUint32(8 * i, value % 2 ** 32, true);
      view.setInt32(8 * i + 4, Math.floor(value / 2 ** 32), true);
    }
  }
  return bytes;
}
