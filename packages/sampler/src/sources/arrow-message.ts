import type { ByteFile } from "./byte-file.js";
import { Table } from "./flatbuffer.js";
import { refused } from "./format-error.js";
import { decodeNumbers, type NumberType, readU32, readU64 } from "./integers.js";
import { decompressLz4Frame } from "./lz4-frame.js";

/** One encapsulated message: metadata and the place of its body. */
export interface ArrowMessage {
  offset: number;
  version: number;
  /** Message.fbs, union MessageHeader: 1 schema, 2 dictionary batch, 3 record batch. */
  kind: number;
  header: Table;
  bodyOffset: number;
  bodyLength: number;
}

const continuation = 0xffffffff;
const largestMetadata = 2 ** 28;

/** Reads the message at `offset`; `undefined` at the end of the stream. */
export async function readMessage(
  file: ByteFile,
  offset: number,
): Promise<ArrowMessage | undefined> {
  if (offset === file.size) return undefined;
  const head = await file.read(offset, Math.min(8, file.size - offset), "an Arrow message");
  if (head.length < 4) throw file.damaged(offset, "an Arrow message", `${head.length} bytes`);
  // Before format 0.15 the length stood alone, without the marker.
  const marked = readU32(head, 0) === continuation;
  if (marked && head.length < 8) {
    throw file.damaged(offset, "an Arrow message of 8 bytes or more", `${head.length} bytes`);
  }
  const length = readU32(head, marked ? 4 : 0);
  if (length === 0) return undefined;
  const start = offset + (marked ? 8 : 4);
  if (length > largestMetadata || start + length > file.size) {
    throw file.damaged(offset, "Arrow metadata that ends inside the file", `${length} bytes of it`);
  }
  const metadata = await file.read(start, length, "Arrow metadata");
  const message = Table.root(metadata);
  const header = message.table(2);
  const bodyLength = message.long(3);
  if (header === undefined || bodyLength < 0) {
    throw file.damaged(start, "an Arrow message with a header", "none");
  }
  const bodyOffset = start + length;
  return {
    offset,
    version: message.short(0),
    kind: message.byte(1),
    header,
    bodyOffset,
    bodyLength,
  };
}

/** One buffer of a record batch, decompressed. */
export async function readBuffer(
  file: ByteFile,
  message: ArrowMessage,
  index: number,
): Promise<Uint8Array> {
  const buffers = message.header.structs(2, 16, [0, 8]);
  const [offset, length] = buffers[index] ?? [];
  if (offset === undefined || length === undefined) {
    throw file.damaged(message.offset, `a record batch with buffer ${index}`, `${buffers.length}`);
  }
  const start = message.bodyOffset + offset;
  if (offset < 0 || length < 0 || offset + length > message.bodyLength) {
    throw file.damaged(
      message.offset,
      `buffer ${index} inside a body of ${message.bodyLength} bytes`,
      `bytes ${offset} to ${offset + length}`,
    );
  }
  const bytes = await file.read(start, length, `buffer ${index} of a record batch`);
  const compression = message.header.table(3);
  if (compression === undefined || length === 0) return bytes;
  return expand(file, start, bytes, compression.byte(0));
}

const largestBuffer = 2 ** 31;

async function expand(
  file: ByteFile,
  start: number,
  bytes: Uint8Array,
  codec: number,
): Promise<Uint8Array> {
  if (bytes.length < 8) throw file.damaged(start, "a compressed buffer", `${bytes.length} bytes`);
  const data = bytes.subarray(8);
  // -1 marks a buffer that did not shrink and was left as it is.
  const signed: NumberType = { kind: "signed", size: 8, littleEndian: true };
  if (decodeNumbers(bytes.subarray(0, 8), signed)[0] === -1) return data;
  const size = readU64(bytes, 0);
  if (size > largestBuffer) {
    throw file.damaged(start, "a buffer of at most 2 GiB", `${size} bytes`);
  }
  if (codec === 0) return decompressLz4Frame(data, size);
  if (codec !== 1) {
    throw refused(file.path, `buffers have compression ${codec}`, "Write them with lz4 or zstd");
  }
  const { decompressZstd } = await import("hyparquet-compressors");
  const output = decompressZstd(data, new Uint8Array(size));
  if (output.length !== size) {
    throw file.damaged(start, `a buffer of ${size} bytes`, `${output.length}`);
  }
  return output;
}
