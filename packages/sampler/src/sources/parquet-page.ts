import type { ReadableBytes } from "./byte-file.js";

/** What a page header says, of the fields used here. */
export interface PageHeader {
  type: string;
  /** Bytes of the header itself. */
  headerBytes: number;
  compressedSize: number;
  uncompressedSize: number;
  values: number;
  encoding: string;
  /** Version 2 keeps levels outside the compressed part: their bytes. */
  levels: { repetition: number; definition: number; compressed: boolean } | undefined;
}

type Thrift = Record<string, unknown>;

/** The parser of Thrift's compact protocol, which hyparquet exports. */
export type ParseThrift = (reader: { view: DataView; offset: number }) => Thrift;

// parquet.thrift: PageType and Encoding.
const pageTypes = ["data", "index", "dictionary", "dataV2"];
const encodings: Record<number, string> = {
  0: "PLAIN",
  2: "PLAIN_DICTIONARY",
  3: "RLE",
  4: "BIT_PACKED",
  5: "DELTA_BINARY_PACKED",
  6: "DELTA_LENGTH_BYTE_ARRAY",
  7: "DELTA_BYTE_ARRAY",
  8: "RLE_DICTIONARY",
  9: "BYTE_STREAM_SPLIT",
};
// Headers are some twenty bytes, or a few hundred with statistics of long values.
const windows = [64, 512, 4096, 1 << 16, 1 << 20];

/** Reads the page header at `offset`; the column chunk ends at `end`. */
export async function readPageHeader(
  file: ReadableBytes,
  parse: ParseThrift,
  offset: number,
  end: number,
): Promise<PageHeader> {
  for (const window of windows) {
    const size = Math.min(window, end - offset);
    const bytes = await file.read(offset, size, "a page header");
    const reader = { view: new DataView(bytes.buffer), offset: 0 };
    let fields: Thrift;
    try {
      fields = parse(reader);
    } catch (error) {
      // The parser fails at the window's end too; only at the chunk's end that is damage.
      if (size < end - offset && window < windows.at(-1)!) continue;
      throw file.damaged(offset, "a page header", (error as Error).message, error);
    }
    return interpret(fields, reader.offset, file, offset, end);
  }
  throw file.damaged(offset, "a page header", "none");
}

function interpret(
  fields: Thrift,
  headerBytes: number,
  file: ReadableBytes,
  offset: number,
  end: number,
): PageHeader {
  const count = (value: unknown): number => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    throw file.damaged(offset, "a count in a page header", String(value));
  };
  const type = pageTypes[count(fields.field_1)] ?? "unknown";
  const uncompressedSize = count(fields.field_2);
  const compressedSize = count(fields.field_3);
  const body = (fields.field_5 ?? fields.field_7 ?? fields.field_8 ?? {}) as Thrift;
  const isV2 = type === "dataV2";
  const size = headerBytes + compressedSize;
  if (offset + size > end) {
    throw file.damaged(offset, `a page that ends by byte ${end}`, `one of ${size} bytes`);
  }
  const isIndex = type === "index";
  const encoding = isIndex ? 0 : count(isV2 ? body.field_4 : body.field_2);
  return {
    type,
    headerBytes,
    compressedSize,
    uncompressedSize,
    values: isIndex ? 0 : count(body.field_1),
    encoding: encodings[encoding] ?? `encoding ${encoding}`,
    levels: isV2
      ? {
          definition: count(body.field_5),
          repetition: count(body.field_6),
          compressed: body.field_7 !== false,
        }
      : undefined,
  };
}
