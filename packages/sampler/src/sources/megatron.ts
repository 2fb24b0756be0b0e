import { type ByteFile, exists, type Meter, streamFile, withFile } from "./byte-file.js";
import { checkedLengths, chunkDocuments } from "./checked-lengths.js";
import { refused } from "./format-error.js";
import { decodeNumbers, type NumberType, readU64 } from "./integers.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";

// Megatron-LM's indexed_dataset.py: "MMIDIDX\0\0", version u64, dtype code u8, sequence count u64,
// document count u64; then lengths i32, pointers i64, document indices i64, and with multimodal data
// one mode byte a sequence. The lengths start at byte 34, which no alignment suits.
const magic = "MMIDIDX\0\0";
const legacyMagic = "TNTIDX\0\0";
const headerBytes = 34;
const int32: NumberType = { kind: "signed", size: 4, littleEndian: true };
const int64: NumberType = { kind: "signed", size: 8, littleEndian: true };

/** Layout of a Megatron `.idx` file. */
interface MegatronIndex {
  path: string;
  sequences: number;
  documents: number;
  /** Bytes of one token in the `.bin` file. */
  tokenBytes: number;
  /** Byte offset of the document indices. */
  documentsOffset: number;
  /** Whether each sequence has a mode byte. */
  modes: boolean;
}

const tokenBytesOf: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 8, 7: 4, 8: 2 };

export function isMegatron(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 9)).toString("latin1");
  return start === magic || start.startsWith(legacyMagic);
}

/**
 * Lengths of a Megatron indexed dataset, from its `.idx` alone: 34 bytes of header, 4 bytes a
 * sequence and, for documents, 8 bytes a document are read; pointers and tokens are not.
 */
export async function openMegatron(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const file = await indexPath(path);
  const index = await withFile(file, meter, readIndex);
  const bySequence = options.unit === "sequences";
  const notes: string[] = [];
  if (index.documents !== index.sequences) {
    notes.push(
      `${index.sequences} sequences in ${index.documents} documents; lengths are per ${bySequence ? "sequence" : "document"}`,
    );
  }
  return lengthSource({
    format: "megatron",
    path,
    total: bySequence ? index.sequences : index.documents,
    notes,
    meter,
    chunks: () =>
      streamFile(file, meter, (opened) =>
        bySequence ? sequenceLengths(opened, index) : documentLengths(opened, index),
      ),
  });
}

// The file's size must agree with the header's counts.
async function readIndex(file: ByteFile): Promise<MegatronIndex> {
  const header = await file.read(0, headerBytes, "a Megatron index header of 34 bytes");
  const start = Buffer.from(header.subarray(0, 9)).toString("latin1");
  if (start.startsWith(legacyMagic)) {
    throw refused(
      file.path,
      "this is the older TNTIDX index, which Megatron itself no longer reads",
      "Write the data set again with Megatron-LM's tools/preprocess_data.py",
    );
  }
  if (start !== magic) throw file.damaged(0, "the magic MMIDIDX", JSON.stringify(start));
  const version = readU64(header, 9);
  if (version !== 1) throw file.damaged(9, "index version 1", String(version));
  const tokenBytes = tokenBytesOf[header[17]!];
  if (tokenBytes === undefined) {
    throw file.damaged(17, "a token type code from 1 to 8", String(header[17]));
  }
  const sequences = readU64(header, 18);
  const borders = readU64(header, 26);
  const plain = headerBytes + 12 * sequences + 8 * borders;
  if (borders < 1 || (file.size !== plain && file.size !== plain + sequences)) {
    throw file.damaged(
      18,
      `counts that fit the file: ${sequences} sequences and ${borders} document borders make ${plain} bytes, or ${plain + sequences} with mode bytes`,
      `a file of ${file.size} bytes`,
    );
  }
  return {
    path: file.path,
    sequences,
    documents: borders - 1,
    tokenBytes,
    documentsOffset: headerBytes + 12 * sequences,
    modes: file.size !== plain,
  };
}

/** Lengths of the sequences `[start, end)`, unchecked doubles. */
async function readSequences(file: ByteFile, start: number, end: number): Promise<Float64Array> {
  return decodeNumbers(await file.read(headerBytes + 4 * start, 4 * (end - start)), int32);
}

async function* sequenceLengths(file: ByteFile, index: MegatronIndex): AsyncGenerator<Uint32Array> {
  for (let start = 0; start < index.sequences; start += chunkDocuments) {
    const end = Math.min(index.sequences, start + chunkDocuments);
    yield checkedLengths(await readSequences(file, start, end), start, file.path);
  }
}

async function* documentLengths(file: ByteFile, index: MegatronIndex): AsyncGenerator<Uint32Array> {
  const { documents, documentsOffset } = index;
  let border = decodeNumbers(await file.read(documentsOffset, 8), int64)[0]!;
  if (border !== 0) throw file.damaged(documentsOffset, "document border 0", String(border));
  for (let start = 0; start < documents; start += chunkDocuments) {
    const end = Math.min(documents, start + chunkDocuments);
    const offset = documentsOffset + 8 * (start + 1);
    const borders = decodeNumbers(await file.read(offset, 8 * (end - start)), int64);
    yield checkedLengths(
      await sumSequences(file, index, border, borders, offset),
      start,
      file.path,
    );
    border = borders.at(-1)!;
  }
  if (border !== index.sequences) {
    const offset = documentsOffset + 8 * documents;
    throw file.damaged(offset, `the last document border ${index.sequences}`, String(border));
  }
}

async function sumSequences(
  file: ByteFile,
  index: MegatronIndex,
  first: number,
  borders: Float64Array,
  bordersOffset: number,
): Promise<Float64Array> {
  const sums = new Float64Array(borders.length);
  let loaded: Float64Array = new Float64Array(0);
  let loadedStart = first;
  let sequence = first;
  for (let i = 0; i < borders.length; i++) {
    const border = borders[i]!;
    if (!(border >= sequence && border <= index.sequences)) {
      throw file.damaged(
        bordersOffset + 8 * i,
        `a document border from ${sequence} to ${index.sequences}`,
        String(border),
      );
    }
    for (; sequence < border; sequence++) {
      if (sequence >= loadedStart + loaded.length) {
        const last = Math.max(border, borders.at(-1)!);
        const end = Math.min(index.sequences, last, sequence + chunkDocuments);
        loaded = await readSequences(file, sequence, end);
        loadedStart = sequence;
      }
      const length = loaded[sequence - loadedStart]!;
      if (length < 0) {
        throw file.damaged(headerBytes + 4 * sequence, "a sequence length", String(length));
      }
      sums[i] = sums[i]! + length;
    }
  }
  return sums;
}

/** `.idx` itself, or its `.bin`, or the prefix that Megatron's `--data-path` takes. */
async function indexPath(path: string): Promise<string> {
  if (path.endsWith(".bin")) return `${path.slice(0, -4)}.idx`;
  if (path.endsWith(".idx") || (await exists(path))) return path;
  return `${path}.idx`;
}
