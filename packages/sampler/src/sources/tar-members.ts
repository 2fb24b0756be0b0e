import type { ByteSequence } from "./byte-sequence.js";
import { damaged } from "./format-error.js";

/** One regular file of a tar archive; its content may be read until the next member is asked for. */
export interface TarMember {
  name: string;
  size: number;
  /** Byte offset of the content in the (decompressed) archive. */
  offset: number;
  /** Reads the next `length` bytes of the content. */
  read(length: number): Promise<Uint8Array>;
}

const block = 512;
// Names and PAX records beyond this are damage.
const longestExtension = 1 << 20;

export function isTar(head: Uint8Array): boolean {
  return head.length >= block && checksumHolds(head);
}

/**
 * The regular files of a tar archive (ustar, GNU long names, PAX paths and sizes), skipping their
 * contents unless they are read.
 */
export async function* tarMembers(source: ByteSequence): AsyncGenerator<TarMember> {
  let longName: string | undefined;
  let pax: Record<string, string> = {};
  for (;;) {
    const at = source.offset;
    const header = await source.take(block);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    if (!checksumHolds(header)) {
      throw damaged(source.path, at, "a tar header with its checksum", "another checksum");
    }
    const type = String.fromCharCode(header[156]!);
    const size = sizeOf(header, pax, source.path, at);
    if (type === "L" || type === "x" || type === "g") {
      const text = await readExtension(source, size);
      if (type === "L") longName = text.replace(/\0.*$/s, "");
      else if (type === "x") pax = paxRecords(text);
      continue;
    }
    const end = source.offset + size;
    if (type === "0" || type === "\0" || type === "7") {
      yield {
        name: pax.path ?? longName ?? nameOf(header),
        size,
        offset: source.offset,
        read: async (length) => {
          const bytes = await source.take(Math.min(length, end - source.offset));
          if (bytes?.length === length) return bytes;
          throw damaged(source.path, source.offset, `${length} bytes of content`, "fewer");
        },
      };
    }
    longName = undefined;
    pax = {};
    await source.skip(padded(end - source.offset, size));
  }
}

async function readExtension(source: ByteSequence, size: number): Promise<string> {
  const at = source.offset;
  const bytes = size <= longestExtension && size > 0 ? await source.take(size) : undefined;
  if (bytes === undefined) {
    throw damaged(source.path, at, "a tar extension of at most 1 MiB", `${size} bytes`);
  }
  await source.skip(padded(0, size));
  return Buffer.from(bytes).toString("utf8");
}

// What is left of the content, and the zeros that fill its last block.
function padded(left: number, size: number): number {
  return left + ((block - (size % block)) % block);
}

function sizeOf(header: Uint8Array, pax: Record<string, string>, path: string, at: number): number {
  const field = header.subarray(124, 136);
  const size =
    pax.size !== undefined ? Number(pax.size) : field[0]! & 0x80 ? binary(field) : octal(field);
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw damaged(path, at + 124, "a size", String(size));
}

function binary(field: Uint8Array): number {
  let value = field[0]! & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return value;
}

function octal(field: Uint8Array): number {
  const text = textOf(field).trim();
  if (text === "") return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function nameOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = textOf(header.subarray(257, 262)) === "ustar";
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function textOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString("utf8");
}

// The sum of all header bytes, the checksum's own eight counted as spaces.
function checksumHolds(header: Uint8Array): boolean {
  let sum = 8 * 32;
  for (let i = 0; i < block; i++) if (i < 148 || i >= 156) sum += header[i]!;
  const stored = textOf(header.subarray(148, 156)).trim();
  return /^[0-7]+$/.test(stored) && Number.parseInt(stored, 8) === sum;
}

function paxRecords(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const match = /^\d+ ([^=]+)=(.*)$/.exec(line);
    if (match !== null) records[match[1]!] = match[2]!;
  }
  return records;
}
