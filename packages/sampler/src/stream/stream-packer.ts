import { LibraError } from "@libra/base";
import { maxLength } from "../lengths.js";
import { bestFit } from "../packing/best-fit.js";
import { aligned, type PackingOptions } from "../packing/types.js";

/** Part of one item in a packed sequence. */
export interface Piece<Item> {
  readonly item: Item;
  /** Number of the item in the stream. */
  readonly number: number;
  readonly start: number;
  readonly length: number;
}

/** Counts since the stream began. */
export interface StreamReport {
  readonly documents: number;
  readonly empty: number;
  readonly dropped: number;
  readonly truncated: number;
  readonly truncatedTokens: number;
  readonly split: number;
  readonly sequences: number;
  readonly tokens: number;
}

/** Packs items one by one as they come; finished packed sequences wait in `ready`. */
export class StreamPacker<Item> {
  readonly ready: Piece<Item>[][] = [];
  private open: Piece<Item>[] = [];
  private room: number;
  /** Documents of the look-ahead. */
  private buffer: Piece<Item>[] = [];
  private items = 0;
  private readonly counts = {
    documents: 0,
    empty: 0,
    dropped: 0,
    truncated: 0,
    truncatedTokens: 0,
    split: 0,
    sequences: 0,
    tokens: 0,
  };

  constructor(private readonly options: PackingOptions) {
    this.room = options.window;
  }

  add(item: Item, lengths: number | ArrayLike<number>): void {
    const number = this.items++;
    if (typeof lengths === "number") this.addDocument(item, number, lengths);
    else this.addSequence(item, number, lengths);
  }

  /** The stream is over: what is open becomes a packed sequence. */
  end(): void {
    this.packBuffer();
    this.close();
  }

  report(): StreamReport {
    return Object.freeze({ ...this.counts });
  }

  private addDocument(item: Item, number: number, length: number): void {
    this.counts.documents++;
    const { packing } = this.options;
    const usable = this.usable(number, length);
    if (usable === 0) return;
    if (packing === "concatSplit") {
      this.concatenate(item, number, usable);
      return;
    }
    const { window } = this.options;
    if (usable > window) this.counts.split++;
    for (let start = 0; start < usable; start += window) {
      const piece = { item, number, start, length: Math.min(window, usable - start) };
      if (packing === "sequential") this.append(piece);
      else this.buffer.push(piece);
    }
    if (this.buffer.length >= this.options.lookAhead) this.packBuffer();
  }

  private concatenate(item: Item, number: number, usable: number): void {
    let start = 0;
    while (start < usable) {
      const length = Math.min(usable - start, this.room);
      if (length < usable && start === 0) this.counts.split++;
      this.append({ item, number, start, length });
      start += length;
    }
  }

  // A full window is closed at once, so that it does not wait for the next document.
  private append(piece: Piece<Item>): void {
    const size = aligned(piece.length, this.options.alignment);
    if (size > this.room) this.close();
    this.open.push(piece);
    this.room -= size;
    if (this.room === 0) this.close();
  }

  private close(): void {
    if (this.open.length > 0) this.finish(this.open);
    this.open = [];
    this.room = this.options.window;
  }

  private finish(sequence: Piece<Item>[]): void {
    this.counts.sequences++;
    for (const { length } of sequence) this.counts.tokens += length;
    this.ready.push(sequence);
  }

  private packBuffer(): void {
    if (this.buffer.length === 0) return;
    const pieces = this.buffer;
    this.buffer = [];
    const lengths = Uint32Array.from(pieces, ({ length }) => length);
    const order = Uint32Array.from(pieces.keys());
    const packed = bestFit(lengths, order, { ...this.options, lookAhead: pieces.length });
    const { offsets, document } = packed.segments(0, packed.count);
    for (let s = 0; s < packed.count; s++) {
      const own = document.subarray(offsets[s]!, offsets[s + 1]!);
      this.finish(Array.from(own, (piece) => pieces[piece]!));
    }
  }

  private addSequence(item: Item, number: number, lengths: ArrayLike<number>): void {
    const { window, alignment } = this.options;
    const sequence: Piece<Item>[] = [];
    let start = 0;
    let used = 0;
    for (let i = 0; i < lengths.length; i++) {
      const length = requireLength(number, lengths[i]!);
      this.counts.documents++;
      if (length === 0) this.counts.empty++;
      else sequence.push({ item, number, start, length });
      start += length;
      used += aligned(length, alignment);
    }
    if (used > window) {
      throw new LibraError(
        "LENGTHS",
        `Packed sequence ${number} takes ${used} tokens, above the window of ${window}`,
        { details: { number, used, window } },
      );
    }
    this.finish(sequence);
  }

  private usable(number: number, length: number): number {
    const { window, overlong } = this.options;
    requireLength(number, length);
    if (length === 0) this.counts.empty++;
    if (length <= window || overlong === "split") return length;
    if (overlong === "drop") {
      this.counts.dropped++;
      return 0;
    }
    if (overlong === "truncate") {
      this.counts.truncated++;
      this.counts.truncatedTokens += length - window;
      return window;
    }
    throw new LibraError(
      "LENGTHS",
      `Document ${number} has ${length} tokens, above the window of ${window}; choose overlong "split", "truncate" or "drop", or a larger window`,
      { details: { number, length, window } },
    );
  }
}

function requireLength(number: number, length: number): number {
  if (Number.isInteger(length) && length >= 0 && length <= maxLength) return length;
  throw new LibraError(
    "LENGTHS",
    `Expected an integer from 0 to ${maxLength} for the length of item ${number} but received ${String(length)}`,
    { details: { number } },
  );
}
