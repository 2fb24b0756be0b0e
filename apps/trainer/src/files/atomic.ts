import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "./make-folder.js";

/**
 * Writes a file so that readers see the old content or the whole new one, never a part: the bytes go
 * to a sibling that takes the file's name at the end; after an error the sibling is gone too.
 *
 * @param path - where the file goes; missing folders are made
 * @param parts - byte views, written one after another
 */
export function writeFileAtomic(path: string, parts: Iterable<ArrayBufferView | string>): void {
  makeFolder(dirname(path));
  const sibling = temporarySibling(path);
  try {
    const file = openSync(sibling, "wx");
    try {
      for (const part of parts) writeAll(file, bytesOf(part));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(sibling, path);
  } catch (error) {
    rmSync(sibling, { force: true });
    throw error;
  }
}

/**
 * Fills a new folder and gives it its name at the end, in place of an older folder of that name.
 *
 * @param path - the folder's final name
 * @param fill - writes the content into the folder it is given; when it throws, nothing stays
 */
export function writeFolderAtomic(path: string, fill: (folder: string) => void): void {
  makeFolder(dirname(path));
  const sibling = temporarySibling(path);
  try {
    mkdirSync(sibling);
    fill(sibling);
    rmSync(path, { recursive: true, force: true });
    renameSync(sibling, path);
  } catch (error) {
    rmSync(sibling, { recursive: true, force: true });
    throw error;
  }
}

function temporarySibling(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
}

function bytesOf(part: ArrayBufferView | string): Uint8Array {
  if (typeof part === "string") return Buffer.from(part);
  return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
}

function writeAll(file: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.byteLength) {
    offset += writeSync(file, bytes, offset, bytes.byteLength - offset);
  }
}
