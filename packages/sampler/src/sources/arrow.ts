import { type ArrowMessage, readBuffer, readMessage } from "./arrow-message.js";
import { type ArrowColumn, arrowColumns } from "./arrow-schema.js";
import { type ByteFile, type Meter, streamFile, withFile } from "./byte-file.js";
import { checkedLengths, chunkDocuments, wrongLength } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { Table } from "./flatbuffer.js";
import { refused } from "./format-error.js";
import { decodeNumbers, readU32 } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";

/** A file's columns and its record batches. */
interface ArrowFile {
  columns: ArrowColumn[];
  batches: ArrowMessage[];
  rows: number;
}

const fileMagic = "ARROW1";

/** Whether a file starts as an Arrow IPC file, an Arrow stream or the older Feather. */
export function isArrow(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 6)).toString("latin1");
  if (start === fileMagic || start.startsWith("FEA1")) return true;
  // A stream: the continuation marker, then the length of metadata, a multiple of 8.
  if (head.length < 16 || readU32(head, 0) !== 0xffffffff) return false;
  const length = readU32(head, 4);
  return length > 0 && length % 8 === 0 && length < 2 ** 28;
}

/**
 * Lengths of an Arrow IPC file (Feather 2) or stream: a number column's buffer, or the offsets of a
 * list column, whose values are not read. Buffers compressed with LZ4 or Zstandard are decompressed.
 */
export async function openArrow(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const { column, rows } = await openArrowColumn(path, options.column, meter);
  return lengthSource({
    format: "arrow",
    path,
    total: rows,
    notes: [`column ${column.name}`],
    meter,
    chunks: () => arrowLengths(path, column, meter, 0),
  });
}

/** The chosen column of one file, and the file's rows. */
export function openArrowColumn(
  path: string,
  wanted: string | undefined,
  meter: Meter,
): Promise<{ column: ArrowColumn; rows: number }> {
  return withFile(path, meter, async (file) => {
    const { columns, rows } = await readArrowFile(file);
    return { column: chooseColumn(path, columns, wanted), rows };
  });
}

/** One pass over a column. `first` is the document index of its first row. */
export function arrowLengths(
  path: string,
  column: ArrowColumn,
  meter: Meter,
  first: number,
): AsyncGenerator<Uint32Array> {
  return streamFile(path, meter, async function* (file) {
    let documents = first;
    for (const batch of (await readArrowFile(file)).batches) {
      const values = await batchValues(file, batch, column, documents);
      for (let start = 0; start < values.length; start += chunkDocuments) {
        const part = values.subarray(start, start + chunkDocuments);
        yield checkedLengths(part, documents, path);
        documents += part.length;
      }
    }
  });
}

async function readArrowFile(file: ByteFile): Promise<ArrowFile> {
  const head = Buffer.from(await file.read(0, Math.min(8, file.size))).toString("latin1");
  if (head.startsWith("FEA1")) {
    throw refused(
      file.path,
      "this is Feather version 1",
      "Write it again with pyarrow.feather.write_feather, which writes version 2",
    );
  }
  return head.startsWith(fileMagic) ? readFooter(file) : readStream(file, 0);
}

async function readStream(file: ByteFile, start: number): Promise<ArrowFile> {
  let columns: ArrowColumn[] | undefined;
  const batches: ArrowMessage[] = [];
  let rows = 0;
  for (let offset = start; ; ) {
    const message = await readMessage(file, offset);
    if (message === undefined) break;
    const { kind, header, version, bodyOffset, bodyLength } = message;
    if (kind === 1) columns ??= arrowColumns(header, version);
    else if (columns === undefined) {
      throw file.damaged(offset, "an Arrow schema first", `message kind ${kind}`);
    }
    if (kind === 3) {
      batches.push(message);
      rows += header.long(0);
    }
    offset = bodyOffset + bodyLength;
    if (offset > file.size) {
      throw file.damaged(bodyOffset, `a body of ${bodyLength} bytes`, `the end at ${file.size}`);
    }
  }
  if (columns === undefined) throw file.damaged(start, "an Arrow schema", "the end of the stream");
  return { columns, batches, rows };
}

async function readFooter(file: ByteFile): Promise<ArrowFile> {
  const tail = await file.read(Math.max(0, file.size - 10), Math.min(10, file.size));
  const magic = Buffer.from(tail.subarray(4)).toString("latin1");
  if (magic !== fileMagic) {
    throw file.damaged(file.size - 6, "the closing magic ARROW1", JSON.stringify(magic));
  }
  const size = readU32(tail, 0);
  const start = file.size - 10 - size;
  if (start < 8) {
    throw file.damaged(file.size - 10, `a footer of at most ${file.size - 18} bytes`, `${size}`);
  }
  const footer = Table.root(await file.read(start, size, "the Arrow footer"));
  const schema = footer.table(1);
  if (schema === undefined) throw file.damaged(start, "a schema in the Arrow footer", "none");
  const columns = arrowColumns(schema, footer.short(0));
  const batches: ArrowMessage[] = [];
  let rows = 0;
  for (const [offset] of footer.structs(3, 24, [0])) {
    const message = await readMessage(file, offset!);
    if (message?.kind !== 3) throw file.damaged(offset!, "a record batch", "something else");
    batches.push(message);
    rows += message.header.long(0);
  }
  return { columns, batches, rows };
}

async function batchValues(
  file: ByteFile,
  batch: ArrowMessage,
  column: ArrowColumn,
  first: number,
): Promise<Float64Array> {
  const [rows, nulls] = batch.header.structs(1, 16, [0, 8])[column.node] ?? [];
  if (rows === undefined || nulls === undefined || rows < 0 || rows > 2 ** 32) {
    throw file.damaged(batch.offset, `rows of column ${column.name}`, String(rows ?? "none"));
  }
  if (rows === 0) return new Float64Array(0);
  const valid = nulls > 0 ? await readBuffer(file, batch, column.buffer) : undefined;
  const isValid = (row: number) =>
    valid === undefined || valid.length === 0 || ((valid[row >> 3] ?? 0) >> (row & 7)) & 1;
  if (column.kind === "list") {
    const sizes = await listSizes(file, batch, column, rows);
    if (valid !== undefined) {
      for (let row = 0; row < rows; row++) if (!isValid(row)) sizes[row] = 0;
    }
    return sizes;
  }
  const bytes = await readBuffer(file, batch, column.buffer + 1);
  const needed = rows * column.type!.size;
  if (bytes.length < needed) {
    throw file.damaged(batch.offset, `${needed} bytes of ${column.name}`, `${bytes.length}`);
  }
  for (let row = 0; valid !== undefined && row < rows; row++) {
    if (!isValid(row)) throw wrongLength(file.path, first + row, "null");
  }
  return decodeNumbers(bytes.subarray(0, needed), column.type!);
}

async function listSizes(
  file: ByteFile,
  batch: ArrowMessage,
  column: ArrowColumn,
  rows: number,
): Promise<Float64Array> {
  if (column.fixedSize !== undefined) return new Float64Array(rows).fill(column.fixedSize);
  const bytes = await readBuffer(file, batch, column.buffer + 1);
  const needed = (rows + 1) * column.type!.size;
  if (bytes.length < needed) {
    throw file.damaged(
      batch.offset,
      `${needed} bytes of list offsets of ${column.name}`,
      `${bytes.length}`,
    );
  }
  const offsets = decodeNumbers(bytes.subarray(0, needed), column.type!);
  return offsets.subarray(0, rows).map((offset, row) => offsets[row + 1]! - offset);
}
