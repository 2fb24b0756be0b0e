import { readSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { LibraError } from "@libra/base";
import { damaged } from "./format-error.js";

/** What decoders read from: a file, or a part of one that is already in memory. */
export type ReadableBytes = Pick<ByteFile, "path" | "read" | "damaged">;

/** Counts what a source read, over all of its files and passes. */
export interface Meter {
  bytes: number;
}

/** One file opened for reads at any offset. Every read is counted and exact, or an error. */
export class ByteFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Offset of the latest read: where an error that a parser raised most likely lies. */
  lastOffset = 0;
  readonly #handle: FileHandle;
  readonly #meter: Meter;

  private constructor(path: string, size: number, handle: FileHandle, meter: Meter) {
    this.path = path;
    this.size = size;
    this.#handle = handle;
    this.#meter = meter;
  }

  /** @throws LibraError `ARGUMENT` when the file is missing, not a file or not readable */
  static async open(path: string, meter: Meter): Promise<ByteFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "r");
      const { size } = await handle.stat();
      return new ByteFile(path, size, handle, meter);
    } catch (error) {
      await handle?.close();
      throw unreadable(path, error);
    }
  }

  /**
   * @returns exactly `length` bytes from `offset`, in memory of their own
   * @throws LibraError `FORMAT` when the file ends before
   */
  async read(offset: number, length: number, what = `${length} more bytes`): Promise<Uint8Array> {
    this.#claim(offset, length, what);
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const part = await this.#handle.read(bytes, filled, length - filled, offset + filled);
      if (part.bytesRead === 0) throw this.#ended(offset + filled, what);
      filled += part.bytesRead;
      this.#meter.bytes += part.bytesRead;
    }
    return bytes;
  }

  /**
   * As {@link read}, at once: for the many reads of a few bytes that per-sample headers need, where
   * the trip through the thread pool would cost ten times the read.
   */
  readNow(offset: number, length: number, what = `${length} more bytes`): Uint8Array {
    this.#claim(offset, length, what);
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const part = readSync(this.#handle.fd, bytes, filled, length - filled, offset + filled);
      if (part === 0) throw this.#ended(offset + filled, what);
      filled += part;
      this.#meter.bytes += part;
    }
    return bytes;
  }

  /** Consecutive pieces of `[start, end)`, each at most `piece` bytes. */
  async *pieces(start = 0, end = this.size, piece = 1 << 18): AsyncGenerator<Uint8Array> {
    for (let offset = start; offset < end; offset += piece) {
      yield await this.read(offset, Math.min(piece, end - offset));
    }
  }

  /** The part `[start, end)` in memory, read at once; its offsets stay those of the file. */
  async load(start: number, end: number): Promise<ReadableBytes> {
    const bytes = await this.read(start, end - start);
    return {
      path: this.path,
      damaged: (...args) => this.damaged(...args),
      read: async (offset, length, what = `${length} more bytes`) => {
        if (offset >= start && offset + length <= end) {
          return bytes.slice(offset - start, offset - start + length);
        }
        throw this.damaged(offset, what, `the end of its part at byte ${end}`);
      },
    };
  }

  /** The damage error for this file. */
  damaged(offset: number, wanted: string, found: string, cause?: unknown): LibraError {
    return damaged(this.path, offset, wanted, found, cause);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #claim(offset: number, length: number, what: string): void {
    this.lastOffset = offset;
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size)) {
      throw this.#ended(offset, what);
    }
  }

  #ended(offset: number, what: string): LibraError {
    return this.damaged(offset, what, `the end of the file at byte ${this.size}`);
  }
}

/** Opens a file, hands it over and closes it, whatever happens. */
export async function withFile<Result>(
  path: string,
  meter: Meter,
  use: (file: ByteFile) => Promise<Result>,
): Promise<Result> {
  const file = await ByteFile.open(path, meter);
  try {
    return await use(file);
  } catch (error) {
    throw asFormatError(error, file);
  } finally {
    await file.close();
  }
}

/** As {@link withFile}, for a stream of values. */
export async function* streamFile<Value>(
  path: string,
  meter: Meter,
  use: (file: ByteFile) => AsyncIterable<Value>,
): AsyncGenerator<Value> {
  const file = await ByteFile.open(path, meter);
  try {
    yield* use(file);
  } catch (error) {
    throw asFormatError(error, file);
  } finally {
    await file.close();
  }
}

/** @returns whether the path names a file or folder of the wanted kind */
export async function exists(path: string, kind: "file" | "folder" = "file"): Promise<boolean> {
  try {
    const found = await stat(path);
    return kind === "folder" ? found.isDirectory() : found.isFile();
  } catch {
    return false;
  }
}

// A damaged file makes parsers and decompressors fail in ways of their own: RangeError, zlib's codes.
function asFormatError(error: unknown, file: ByteFile): unknown {
  if (error instanceof LibraError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return file.damaged(
    file.lastOffset,
    "readable content",
    `a failure to read it: ${message}`,
    error,
  );
}

function unreadable(path: string, error: unknown): LibraError {
  const code = (error as NodeJS.ErrnoException).code;
  const reason =
    code === "ENOENT"
      ? "there is no such file"
      : code === "EACCES" || code === "EPERM"
        ? "this user may not read it"
        : `it cannot be opened (${code ?? String(error)})`;
  return new LibraError("ARGUMENT", `${path}: expected a readable file but ${reason}`, {
    cause: error,
    details: { path },
  });
}
