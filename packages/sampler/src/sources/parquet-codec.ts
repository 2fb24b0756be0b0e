import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { ReadableBytes } from "./byte-file.js";
import { refused } from "./format-error.js";

type Decompressor = (input: Uint8Array, outputLength: number) => Uint8Array;

// A page above this is damage: writers cut at a few megabytes.
const largestPage = 2 ** 30;

/**
 * Decompresses one page (or part of one).
 *
 * @param codec - as the column's metadata names it
 * @param size - bytes that must come out
 */
export async function decompress(
  file: ReadableBytes,
  offset: number,
  codec: string,
  input: Uint8Array,
  size: number,
): Promise<Uint8Array> {
  if (codec === "UNCOMPRESSED") return input;
  if (size > largestPage) {
    throw file.damaged(offset, "a page of at most 1 GiB", `one of ${size} bytes`);
  }
  if (size === 0) return new Uint8Array(0);
  const decompressor = await decompressorOf(codec);
  if (decompressor === undefined) {
    throw refused(
      file.path,
      `the column is compressed with ${codec}`,
      "Write it with snappy, gzip, brotli, lz4 or zstd",
    );
  }
  let output: Uint8Array;
  try {
    output = decompressor(input, size);
  } catch (error) {
    const found = `an error: ${error instanceof Error ? error.message : String(error)}`;
    throw file.damaged(offset, `a page compressed with ${codec}`, found, error);
  }
  if (output.length !== size) {
    throw file.damaged(offset, `a page of ${size} bytes`, `one of ${output.length}`);
  }
  return output;
}

async function decompressorOf(codec: string): Promise<Decompressor | undefined> {
  // Node's own are faster and keep to the size they are given.
  if (codec === "GZIP") return (input, size) => gunzipSync(input, { maxOutputLength: size });
  if (codec === "BROTLI") {
    return (input, size) => brotliDecompressSync(input, { maxOutputLength: size });
  }
  // Loaded on demand: only ES modules, which CommonJS reaches by import() alone.
  const { compressors } = await import("hyparquet-compressors");
  return Object.hasOwn(compressors, codec)
    ? compressors[codec as keyof typeof compressors]
    : undefined;
}
