import type { ByteFile, Meter } from "./byte-file.js";
import { contentStream } from "./content-stream.js";
import { damaged } from "./format-error.js";

/** Bytes read front to back, where skipping may be cheaper than reading. */
export interface ByteSequence {
  readonly path: string;
  /** Offset of the next byte, in decompressed bytes. */
  readonly offset: number;
  /** @returns exactly `length` bytes, or `undefined` when not one is left */
  take(length: number): Promise<Uint8Array | undefined>;
  skip(length: number): Promise<void>;
}

/** A plain file: a skip costs nothing. */
export class FileSequence implements ByteSequence {
  offset = 0;
  readonly #file: ByteFile;

  constructor(file: ByteFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  async take(length: number): Promise<Uint8Array | undefined> {
    if (this.offset === this.#file.size) return undefined;
    const bytes = this.#file.readNow(this.offset, length);
    this.offset += length;
    return bytes;
  }

  async skip(length: number): Promise<void> {
    if (this.offset + length > this.#file.size) {
      throw ended(this.path, this.offset, length, this.#file.size);
    }
    this.offset += length;
  }
}

/** A gzip file: everything is decompressed, also what is skipped. */
export class StreamSequence implements ByteSequence {
  offset = 0;
  readonly path: string;
  readonly #pieces: AsyncGenerator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(path: string, meter: Meter) {
    this.path = path;
    this.#pieces = contentStream(path, meter);
  }

  async take(length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0; ) {
      if (this.#held.length === 0 && !(await this.#refill())) {
        if (missing === length) return undefined;
        throw ended(this.path, this.offset, missing, this.offset);
      }
      const part = this.#held.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#advance(part.length);
    }
    return Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0; ) {
      if (this.#held.length === 0 && !(await this.#refill())) {
        throw ended(this.path, this.offset, missing, this.offset);
      }
      const step = Math.min(missing, this.#held.length);
      missing -= step;
      this.#advance(step);
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  #advance(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
    this.offset += bytes;
  }

  async #refill(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done) return false;
    this.#held = next.value;
    return true;
  }
}

function ended(path: string, offset: number, length: number, end: number) {
  return damaged(path, offset, `${length} more bytes`, `the end of the content at byte ${end}`);
}
