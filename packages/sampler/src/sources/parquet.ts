import { type ByteFile, type Meter, streamFile, withFile } from "./byte-file.js";
import { checkedLengths, wrongLength } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { refused } from "./format-error.js";
import { readU32 } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { columnChunk, type Page, readPages } from "./parquet-chunk.js";
import { listSizes } from "./parquet-lists.js";
import { documentsOfPackedRows, packedColumns } from "./parquet-packed.js";
import { type ParquetColumn, type ParquetFile, parquetColumns } from "./parquet-schema.js";

/**
 * Lengths of a Parquet file: a number column (only that column's pages are read), or the sizes of a
 * list column, which follow from its levels. In version-2 pages the levels stand apart and only they
 * are read; in version-1 pages they are compressed together with the values, so that the whole column
 * is read and decompressed (its values are not decoded).
 */
export async function openParquet(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const parquet = await withFile(path, meter, readMetadata);
  const rows = Number(parquet.metadata.num_rows);
  const packed = options.column === undefined ? packedColumns(parquet.columns) : undefined;
  if (packed !== undefined) {
    return lengthSource({
      format: "parquet",
      path,
      total: undefined,
      notes: [`lengths of the documents inside ${rows} packed rows, from ${packed.starts.name}`],
      meter,
      chunks: () => streamFile(path, meter, (file) => documentsOfPackedRows(file, parquet, packed)),
    });
  }
  const column = chooseColumn(path, parquet.columns, options.column);
  const notes = [`column ${column.name}`];
  if (column.kind === "list") {
    notes.push(
      "list sizes come from the column's levels: in version-1 pages the whole column is read and decompressed for them",
    );
  }
  return lengthSource({
    format: "parquet",
    path,
    total: rows,
    notes,
    meter,
    chunks: () => streamFile(path, meter, (file) => columnLengths(file, parquet, column)),
  });
}

/** Reads the footer, and nothing else. */
async function readMetadata(file: ByteFile): Promise<ParquetFile> {
  if (file.size < 12) throw file.damaged(0, "a Parquet file", `${file.size} bytes`);
  const tail = await file.read(file.size - 8, 8, "the end of a Parquet footer");
  const magic = Buffer.from(tail.subarray(4)).toString("latin1");
  if (magic === "PARE") {
    throw refused(file.path, "the footer is encrypted", "Write the lengths without encryption");
  }
  if (magic !== "PAR1") {
    throw file.damaged(file.size - 4, "the closing magic PAR1", JSON.stringify(magic));
  }
  const size = readU32(tail, 0);
  const start = file.size - 8 - size;
  if (start < 4) {
    throw file.damaged(
      file.size - 8,
      `a footer of at most ${file.size - 12} bytes`,
      `one of ${size}`,
    );
  }
  const bytes = new Uint8Array(size + 8);
  bytes.set(await file.read(start, size, "the Parquet footer"));
  bytes.set(tail, size);
  const { parquetMetadata } = await import("hyparquet");
  const { deserializeTCompactProtocol } = await import("hyparquet/src/thrift.js");
  const metadata = parquetMetadata(bytes, { geoparquet: false });
  return { metadata, columns: parquetColumns(metadata), parse: deserializeTCompactProtocol };
}

async function* columnLengths(
  file: ByteFile,
  parquet: ParquetFile,
  column: ParquetColumn,
): AsyncGenerator<Uint32Array> {
  const { metadata, columns, parse } = parquet;
  let rows = 0;
  for (const [group, { num_rows: wanted }] of metadata.row_groups.entries()) {
    const chunk = columnChunk(file, metadata, group, column, columns.indexOf(column));
    const before = rows;
    if (column.kind === "list") {
      for await (const lengths of listSizes(readPages(file, parse, chunk, false), column)) {
        yield checkedLengths(lengths, rows, file.path);
        rows += lengths.length;
      }
    } else {
      for await (const page of readPages(file, parse, chunk, true)) {
        yield checkedLengths(numbers(page, column, rows, file.path), rows, file.path);
        rows += page.entries;
      }
    }
    if (rows - before !== Number(wanted)) {
      throw file.damaged(
        chunk.start,
        `${wanted} rows in row group ${group}`,
        `${rows - before} in column ${column.name}`,
      );
    }
  }
}

function numbers(page: Page, column: ParquetColumn, first: number, path: string): Float64Array {
  const { definition, values } = page;
  if (values.length === page.entries) return values;
  const missing = definition?.findIndex((level) => level !== column.maxDefinition) ?? 0;
  throw wrongLength(path, first + missing, "null");
}
