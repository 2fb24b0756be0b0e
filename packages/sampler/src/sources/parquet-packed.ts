import type { ByteFile } from "./byte-file.js";
import { checkedLengths } from "./checked-lengths.js";
import { columnChunk, readPages } from "./parquet-chunk.js";
import { listSizes } from "./parquet-lists.js";
import type { ParquetColumn, ParquetFile } from "./parquet-schema.js";

/** The two columns of Megatron-Bridge's packed rows that tell where documents begin and rows end. */
export interface PackedColumns {
  starts: ParquetColumn;
  /** Any list as long as the row: the smallest is taken. */
  rows: ParquetColumn;
}

/** Whether a file is packed: rows of tokens with the starts of their documents beside them. */
export function packedColumns(columns: readonly ParquetColumn[]): PackedColumns | undefined {
  const list = (name: string) =>
    columns.find((column) => column.name === name && column.kind === "list");
  const starts = list("seq_start_id");
  const rows = list("loss_mask") ?? list("input_ids");
  return starts?.type !== undefined && rows !== undefined && list("input_ids") !== undefined
    ? { starts, rows }
    : undefined;
}

/** Lengths of the documents inside packed rows, row after row. */
export async function* documentsOfPackedRows(
  file: ByteFile,
  parquet: ParquetFile,
  packed: PackedColumns,
): AsyncGenerator<Uint32Array> {
  const { metadata, columns, parse } = parquet;
  const { starts, rows } = packed;
  let documents = 0;
  for (let group = 0; group < metadata.row_groups.length; group++) {
    const rowsChunk = columnChunk(file, metadata, group, rows, columns.indexOf(rows));
    const startsChunk = columnChunk(file, metadata, group, starts, columns.indexOf(starts));
    const rowSizes = await gathered(listSizes(readPages(file, parse, rowsChunk, false), rows));
    const counts = await gathered(listSizes(readPages(file, parse, startsChunk, false), starts));
    const values: number[] = [];
    for await (const page of readPages(file, parse, startsChunk, true)) {
      for (const value of page.values) values.push(value);
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (rowSizes.length !== counts.length || total !== values.length) {
      throw file.damaged(
        startsChunk.start,
        `${rowSizes.length} rows of document starts`,
        `${counts.length} rows with ${values.length} of ${total} starts`,
      );
    }
    const lengths: number[] = [];
    let next = 0;
    for (const [row, size] of rowSizes.entries()) {
      const end = next + counts[row]!;
      for (; next < end; next++) {
        const stop = next + 1 < end ? values[next + 1]! : size;
        lengths.push(stop - values[next]!);
      }
    }
    yield checkedLengths(lengths, documents, file.path);
    documents += lengths.length;
  }
}

async function gathered(chunks: AsyncIterable<Float64Array>): Promise<number[]> {
  const all: number[] = [];
  for await (const chunk of chunks) for (const value of chunk) all.push(value);
  return all;
}
