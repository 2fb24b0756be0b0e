import type { FileMetaData } from "hyparquet";
import type { ByteFile, ReadableBytes } from "./byte-file.js";
import { refused } from "./format-error.js";
import { decodeNumbers } from "./integers.js";
import { decompress } from "./parquet-codec.js";
import { decodeDelta, decodeHybrid, decodeSplit } from "./parquet-decode.js";
import { type PageHeader, type ParseThrift, readPageHeader } from "./parquet-page.js";
import type { ParquetColumn } from "./parquet-schema.js";

/** Levels and, where wanted, values of one data page. */
export interface Page {
  /** Level entries: values, nulls and empty lists. */
  entries: number;
  repetition: Uint32Array | undefined;
  definition: Uint32Array | undefined;
  /** Values that are there, nulls left out; empty where not wanted. */
  values: Float64Array;
}

/** One column of one row group. */
export interface ColumnChunk {
  column: ParquetColumn;
  codec: string;
  start: number;
  end: number;
  entries: number;
}

/** Where column `index` of row group `group` lies. */
export function columnChunk(
  file: ByteFile,
  metadata: FileMetaData,
  group: number,
  column: ParquetColumn,
  index: number,
): ColumnChunk {
  const chunk = metadata.row_groups[group]?.columns[index];
  const meta = chunk?.meta_data;
  const where = `column ${column.name} of row group ${group}`;
  if (chunk?.file_path) {
    throw refused(file.path, `${where} lies in another file, ${chunk.file_path}`, "Read that file");
  }
  if (meta === undefined || meta.path_in_schema.join(".") !== column.path.join(".")) {
    throw file.damaged(file.size, `metadata of ${where}`, "none");
  }
  const data = Number(meta.data_page_offset);
  const dictionary = Number(meta.dictionary_page_offset ?? 0);
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + Number(meta.total_compressed_size);
  const entries = Number(meta.num_values);
  if (!(start >= 4 && end >= start && end <= file.size && entries >= 0)) {
    throw file.damaged(start, `${where} inside the file`, `bytes ${start} to ${end}`);
  }
  return { column, codec: meta.codec, start, end, entries };
}

// Read whole, such a chunk costs one read instead of two or three a page.
const smallChunk = 1 << 16;

/**
 * The data pages of a column chunk, one after another.
 *
 * @param wantValues - false reads levels only: of version-2 pages nothing else is read then
 */
export async function* readPages(
  whole: ByteFile,
  parse: ParseThrift,
  chunk: ColumnChunk,
  wantValues: boolean,
): AsyncGenerator<Page> {
  const atOnce = wantValues && chunk.end - chunk.start <= smallChunk;
  const file = atOnce ? await whole.load(chunk.start, chunk.end) : whole;
  let offset = chunk.start;
  let entries = 0;
  let dictionary: Float64Array = new Float64Array(0);
  while (entries < chunk.entries) {
    if (offset >= chunk.end) {
      throw file.damaged(offset, `${chunk.entries} values`, `pages with ${entries}`);
    }
    const header = await readPageHeader(file, parse, offset, chunk.end);
    const body = offset + header.headerBytes;
    offset = body + header.compressedSize;
    if (header.type === "dictionary") {
      if (!wantValues) continue;
      const bytes = await file.read(body, header.compressedSize);
      const page = await decompress(file, body, chunk.codec, bytes, header.uncompressedSize);
      dictionary = guarded(file, body, () => plain(page, chunk.column, header.values));
    } else if (header.type === "data" || header.type === "dataV2") {
      if (header.values > chunk.entries - entries) {
        const wanted = `at most ${chunk.entries - entries} values`;
        throw file.damaged(body, wanted, `${header.values}`);
      }
      entries += header.values;
      yield await readPage(file, chunk, header, body, wantValues ? dictionary : undefined);
    } else if (header.type !== "index") {
      throw file.damaged(body, "a page of a known type", "another");
    }
  }
}

async function readPage(
  file: ReadableBytes,
  chunk: ColumnChunk,
  header: PageHeader,
  body: number,
  dictionary: Float64Array | undefined,
): Promise<Page> {
  const { maxRepetition, maxDefinition } = chunk.column;
  const { values: entries, levels } = header;
  if (header.encoding === "BIT_PACKED") {
    throw refused(file.path, "pages have the retired BIT_PACKED levels", "Write the file again");
  }
  if (levels === undefined) {
    const raw = await file.read(body, header.compressedSize);
    const page = await decompress(file, body, chunk.codec, raw, header.uncompressedSize);
    return guarded(file, body, () => {
      const repetition = prefixedLevels(page, maxRepetition, entries);
      const rest = page.subarray(repetition.bytes);
      const definition = prefixedLevels(rest, maxDefinition, entries);
      const data = rest.subarray(definition.bytes);
      return assemble(chunk, header, repetition.levels, definition.levels, data, dictionary);
    });
  }
  const levelBytes = levels.repetition + levels.definition;
  if (levelBytes > header.compressedSize) {
    throw file.damaged(body, `levels of at most ${header.compressedSize} bytes`, `${levelBytes}`);
  }
  const bytes = await file.read(body, levelBytes, "levels of a page");
  let data: Uint8Array = new Uint8Array(0);
  if (dictionary !== undefined) {
    const raw = await file.read(body + levelBytes, header.compressedSize - levelBytes);
    const size = header.uncompressedSize - levelBytes;
    const codec = levels.compressed ? chunk.codec : "UNCOMPRESSED";
    data = await decompress(file, body + levelBytes, codec, raw, Math.max(0, size));
  }
  return guarded(file, body, () => {
    const repetition = plainLevels(bytes.subarray(0, levels.repetition), maxRepetition, entries);
    const definition = plainLevels(bytes.subarray(levels.repetition), maxDefinition, entries);
    return assemble(chunk, header, repetition, definition, data, dictionary);
  });
}

function assemble(
  { column }: ColumnChunk,
  header: PageHeader,
  repetition: Uint32Array | undefined,
  definition: Uint32Array | undefined,
  data: Uint8Array,
  dictionary: Float64Array | undefined,
): Page {
  let present = header.values;
  if (definition !== undefined && dictionary !== undefined) {
    present = 0;
    for (const level of definition) if (level === column.maxDefinition) present++;
  }
  const values =
    dictionary === undefined
      ? new Float64Array(0)
      : decodeValues(data, column, header.encoding, present, dictionary);
  return { entries: header.values, repetition, definition, values };
}

function decodeValues(
  data: Uint8Array,
  column: ParquetColumn,
  encoding: string,
  count: number,
  dictionary: Float64Array,
): Float64Array {
  switch (encoding) {
    case "PLAIN":
      return plain(data, column, count);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY": {
      if (count === 0) return new Float64Array(0);
      const indices = decodeHybrid(data.subarray(1), data[0] ?? 0, count);
      return Float64Array.from(indices, (index) => {
        const value = dictionary[index];
        if (value === undefined) throw new RangeError(`no dictionary entry ${index}`);
        return value;
      });
    }
    case "DELTA_BINARY_PACKED":
      return count === 0 ? new Float64Array(0) : decodeDelta(data, count);
    case "BYTE_STREAM_SPLIT":
      return decodeSplit(data, column.type!, count);
    default:
      throw new RangeError(`numbers encoded as ${encoding}`);
  }
}

function plain(data: Uint8Array, column: ParquetColumn, count: number): Float64Array {
  const bytes = count * column.type!.size;
  if (bytes > data.length) throw new RangeError(`${data.length} bytes where ${bytes} belong`);
  return decodeNumbers(data.subarray(0, bytes), column.type!);
}

// Version-1 pages put the levels' byte length before them.
function prefixedLevels(
  page: Uint8Array,
  max: number,
  entries: number,
): { levels: Uint32Array | undefined; bytes: number } {
  if (max === 0) return { levels: undefined, bytes: 0 };
  const size = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0, true);
  if (4 + size > page.length) throw new RangeError(`levels of ${size} bytes`);
  return { levels: plainLevels(page.subarray(4, 4 + size), max, entries), bytes: 4 + size };
}

function plainLevels(bytes: Uint8Array, max: number, entries: number): Uint32Array | undefined {
  return max === 0 ? undefined : decodeHybrid(bytes, 32 - Math.clz32(max), entries);
}

function guarded<Result>(file: ReadableBytes, offset: number, decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    throw file.damaged(offset, "a page of values", (error as Error).message, error);
  }
}
