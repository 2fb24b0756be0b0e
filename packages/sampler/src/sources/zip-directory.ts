import { constants, inflateRawSync } from "node:zlib";
import type { ByteFile } from "./byte-file.js";
import { readU64 } from "./integers.js";

/** One member of a zip archive. */
export interface ZipMember {
  name: string;
  method: number;
  compressedSize: number;
  size: number;
  headerOffset: number;
}

const endBytes = 22;
const endSignature = 0x06054b50;
const memberSignature = 0x02014b50;
const localSignature = 0x04034b50;
const locatorSignature = 0x07064b50;
// Beyond this a member's size is damage, or no list of lengths.
const largestMember = 2 ** 34;

/** The members of a zip archive, from its central directory (zip64 included). */
export async function readZipDirectory(file: ByteFile): Promise<ZipMember[]> {
  const { start, size, count } = await directoryBounds(file);
  if (start + size > file.size) {
    throw file.damaged(start, "the zip directory", `the end of the file at byte ${file.size}`);
  }
  const bytes = await file.read(start, size, "the zip directory");
  const view = new DataView(bytes.buffer);
  const members: ZipMember[] = [];
  let offset = 0;
  for (let i = 0; i < count; i++) {
    if (offset + 46 > size || view.getUint32(offset, true) !== memberSignature) {
      throw file.damaged(start + offset, `entry ${i} of the zip directory`, "something else");
    }
    const nameLength = view.getUint16(offset + 28, true);
    const extraLength = view.getUint16(offset + 30, true);
    const commentLength = view.getUint16(offset + 32, true);
    const next = offset + 46 + nameLength + extraLength + commentLength;
    if (next > size) throw file.damaged(start + offset, "a whole zip entry", "a cut one");
    const member: ZipMember = {
      name: Buffer.from(bytes.subarray(offset + 46, offset + 46 + nameLength)).toString("utf8"),
      method: view.getUint16(offset + 10, true),
      compressedSize: view.getUint32(offset + 20, true),
      size: view.getUint32(offset + 24, true),
      headerOffset: view.getUint32(offset + 42, true),
    };
    const extra = offset + 46 + nameLength;
    applyWideSizes(member, bytes.subarray(extra, extra + extraLength));
    members.push(member);
    offset = next;
  }
  return members;
}

/** A member's content: stored or deflated. */
export async function readZipMember(file: ByteFile, member: ZipMember): Promise<Uint8Array> {
  const { headerOffset, name } = member;
  const local = await file.read(headerOffset, 30, `the local header of ${name}`);
  const view = new DataView(local.buffer);
  if (view.getUint32(0, true) !== localSignature) {
    throw file.damaged(headerOffset, `the local zip header of ${name}`, "something else");
  }
  if (member.size > largestMember) {
    throw file.damaged(headerOffset, `a size below 16 GiB for ${name}`, String(member.size));
  }
  const start = headerOffset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const raw = await file.read(start, member.compressedSize, `the content of ${name}`);
  const content = member.method === 0 ? raw : inflate(file, member, raw, start);
  if (content.length !== member.size) {
    throw file.damaged(start, `${member.size} bytes for ${name}`, `${content.length}`);
  }
  return content;
}

function inflate(file: ByteFile, member: ZipMember, raw: Uint8Array, start: number): Uint8Array {
  if (member.method !== 8) {
    throw file.damaged(start, `${member.name} stored or deflated`, `method ${member.method}`);
  }
  try {
    return inflateRawSync(raw, {
      maxOutputLength: Math.max(1, member.size),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    throw file.damaged(start, `a deflated ${member.name}`, (error as Error).message, error);
  }
}

async function directoryBounds(
  file: ByteFile,
): Promise<{ start: number; size: number; count: number }> {
  // The end record sits before a comment of at most 65,535 bytes, which NumPy never writes.
  const tailSize = Math.min(file.size, endBytes + 65535);
  const tailStart = file.size - tailSize;
  let tail = await file.read(
    file.size - Math.min(tailSize, endBytes),
    Math.min(tailSize, endBytes),
  );
  let at = findEnd(tail);
  let base = file.size - tail.length;
  if (at < 0) {
    tail = await file.read(tailStart, tailSize);
    at = findEnd(tail);
    base = tailStart;
  }
  if (at < 0) throw file.damaged(file.size, "the end record of a zip archive", "none");
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const count = view.getUint16(at + 10, true);
  const size = view.getUint32(at + 12, true);
  const start = view.getUint32(at + 16, true);
  const wide = count === 0xffff || size === 0xffffffff || start === 0xffffffff;
  return wide ? wideBounds(file, base + at) : { start, size, count };
}

function findEnd(tail: Uint8Array): number {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (view.getUint32(at, true) === endSignature) return at;
  }
  return -1;
}

async function wideBounds(
  file: ByteFile,
  end: number,
): Promise<{ start: number; size: number; count: number }> {
  const locator = await file.read(end - 20, 20, "the zip64 locator");
  if (new DataView(locator.buffer).getUint32(0, true) !== locatorSignature) {
    throw file.damaged(end - 20, "the zip64 locator", "something else");
  }
  const record = await file.read(readU64(locator, 8), 56, "the zip64 end record");
  return { count: readU64(record, 32), size: readU64(record, 40), start: readU64(record, 48) };
}

// The zip64 field (id 1) holds, in this order, whichever of the three numbers did not fit.
function applyWideSizes(member: ZipMember, extra: Uint8Array): void {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let field = at + 4;
    for (const key of ["size", "compressedSize", "headerOffset"] as const) {
      if (member[key] !== 0xffffffff || field + 8 > extra.length) continue;
      member[key] = readU64(extra, field);
      field += 8;
    }
  }
}
