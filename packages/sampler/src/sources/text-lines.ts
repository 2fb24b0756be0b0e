import type { Meter } from "./byte-file.js";
import { contentStream } from "./content-stream.js";
import { damaged } from "./format-error.js";

/** Some consecutive lines of a text file, without their line ends. */
export interface TextLines {
  lines: string[];
  /** Byte offset of each line in the (decompressed) text. */
  offsets: number[];
  /** Number of `lines[0]`, counted from 1. */
  firstNumber: number;
}

// Longer is no line of text, and strings end at 512 MiB.
const longestLine = 2 ** 28;
const newline = 10;

/** The lines of a text file, gzip or plain, in batches as they are read. */
export async function* textLines(path: string, meter: Meter): AsyncGenerator<TextLines> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let offset = 0;
  let number = 1;
  for await (const piece of contentStream(path, meter)) {
    const last = piece.lastIndexOf(newline);
    if (last < 0) {
      held.push(piece);
      heldBytes += piece.length;
      if (heldBytes > longestLine) {
        throw damaged(path, offset, `line ${number} to end within 256 MiB`, "no line end");
      }
      continue;
    }
    const whole = Buffer.concat([...held, piece.subarray(0, last)]);
    const batch = split(whole, offset, number);
    yield batch;
    offset += whole.length + 1;
    number += batch.lines.length;
    held = last + 1 < piece.length ? [piece.subarray(last + 1)] : [];
    heldBytes = held[0]?.length ?? 0;
  }
  if (heldBytes > 0) yield split(Buffer.concat(held), offset, number);
}

function split(text: Buffer, start: number, firstNumber: number): TextLines {
  const lines: string[] = [];
  const offsets: number[] = [];
  let at = 0;
  while (at <= text.length) {
    const found = text.indexOf(newline, at);
    const next = found < 0 ? text.length : found;
    const end = next > at && text[next - 1] === 13 ? next - 1 : next;
    lines.push(text.toString("utf8", at, end));
    offsets.push(start + at);
    at = next + 1;
  }
  return { lines, offsets, firstNumber };
}

/** Text for an error message, cut to a readable length. */
export function shownText(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
