// Megatron-LM's indexed dataset (megatron/core/datasets/indexed_dataset.py): NAME.bin holds the token
// ids, NAME.idx says where each sequence begins. Here one sequence is one document.
import { existsSync, readFileSync } from "node:fs";
import { LibraError } from "@libra/base";
import { writeFileAtomic } from "./atomic.js";

/** Documents as one column of token ids with their borders. */
export interface TokenColumns {
  /** Token ids of all documents, one after another. */
  readonly ids: Int32Array;
  /** Document d holds `ids[offsets[d] .. offsets[d + 1])`; length documents + 1. */
  readonly offsets: Float64Array;
}

const magic = Buffer.from("MMIDIDX\0\0", "latin1");
const version = 1n;
const codeInt32 = 4;
const codeUint16 = 8;
// magic 9, version 8, type code 1, number of sequences 8, number of document borders 8
const headerBytes = 34;

/**
 * Writes PATH.bin, then PATH.idx: a reader that finds the index finds whole data.
 *
 * @param path - without an ending
 */
export function writeIndexedDataset(path: string, { ids, offsets }: TokenColumns): void {
  const documents = offsets.length - 1;
  const lengths = Int32Array.from({ length: documents }, (_, d) => offsets[d + 1]! - offsets[d]!);
  const pointers = BigInt64Array.from({ length: documents }, (_, d) => BigInt(offsets[d]! * 4));
  const borders = BigInt64Array.from({ length: documents + 1 }, (_, d) => BigInt(d));
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeBigUInt64LE(version, 9);
  header.writeUInt8(codeInt32, 17);
  header.writeBigUInt64LE(BigInt(documents), 18);
  header.writeBigUInt64LE(BigInt(documents + 1), 26);
  writeFileAtomic(`${path}.bin`, [ids]);
  writeFileAtomic(`${path}.idx`, [header, lengths, pointers, borders]);
}

/** Whether both files of a pair are there. */
export function hasIndexedDataset(path: string): boolean {
  return existsSync(`${path}.idx`) && existsSync(`${path}.bin`);
}

/**
 * Reads a pair of int32 or uint16 ids, one sequence a document.
 *
 * @param path - without an ending
 * @throws LibraError `FORMAT` that names the file and the bytes
 */
export function readIndexedDataset(path: string): TokenColumns {
  const index = readFileSync(`${path}.idx`);
  const wrong = (what: string): LibraError =>
    new LibraError("FORMAT", `${path}.idx is not a readable Megatron index: ${what}`);
  if (index.byteLength < headerBytes || !index.subarray(0, 9).equals(magic)) {
    throw wrong("bytes 0–9 are not MMIDIDX");
  }
  if (index.readBigUInt64LE(9) !== version) throw wrong("bytes 9–17 give another version than 1");
  const code = index.readUInt8(17);
  if (code !== codeInt32 && code !== codeUint16) {
    throw wrong(`byte 17 gives type code ${code}; readable: 4 (int32) and 8 (uint16)`);
  }
  const sequences = Number(index.readBigUInt64LE(18));
  const needed = headerBytes + sequences * 12;
  if (index.byteLength < needed) {
    throw wrong(`${sequences} sequences need ${needed} bytes, the file has ${index.byteLength}`);
  }
  const offsets = new Float64Array(sequences + 1);
  for (let s = 0; s < sequences; s += 1) {
    const at = headerBytes + 4 * s;
    const length = index.readInt32LE(at);
    if (length < 0) throw wrong(`bytes ${at}–${at + 4} give sequence ${s} ${length} tokens`);
    offsets[s + 1] = offsets[s]! + length;
  }
  const bytes = readFileSync(`${path}.bin`);
  const width = code === codeInt32 ? 4 : 2;
  if (bytes.byteLength !== offsets[sequences]! * width) {
    throw new LibraError(
      "FORMAT",
      `${path}.bin has ${bytes.byteLength} bytes, its index gives ${offsets[sequences]! * width}`,
    );
  }
  return { ids: idsOf(bytes, width), offsets };
}

function idsOf(bytes: Buffer, width: number): Int32Array {
  const copy = Uint8Array.from(bytes).buffer;
  return width === 4 ? new Int32Array(copy) : Int32Array.from(new Uint16Array(copy));
}
