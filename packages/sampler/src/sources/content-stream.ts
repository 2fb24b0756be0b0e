import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type ByteFile, type Meter, streamFile } from "./byte-file.js";
import { damaged } from "./format-error.js";

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * A file's content from start to end, decompressed where it is gzip (told by its first bytes, never
 * by its name). Offsets in later errors count decompressed bytes.
 *
 * @throws LibraError `FORMAT` where the gzip stream is damaged or ends early
 */
export function contentStream(path: string, meter: Meter): AsyncGenerator<Uint8Array> {
  return streamFile(path, meter, async function* (file) {
    if (file.size === 0) return;
    const head = await file.read(0, Math.min(2, file.size));
    if (isGzip(head)) yield* unzipped(file);
    else yield* file.pieces();
  });
}

async function* unzipped(file: ByteFile): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let read = 0;
  const raw = async function* () {
    for await (const piece of file.pieces()) {
      read += piece.length;
      yield piece;
    }
  };
  // The callback's error also reaches the loop below, which is where it is handled.
  pipeline(Readable.from(raw(), { objectMode: false }), gunzip, () => {});
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } catch (error) {
    const reason = (error as Error).message;
    throw damaged(file.path, read, "a whole gzip stream", `an error: ${reason}`, error);
  }
}
