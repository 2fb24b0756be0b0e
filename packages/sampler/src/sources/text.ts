import { basename } from "node:path";
import type { Meter } from "./byte-file.js";
import { checkedLengths, OffsetDifferences, wrongLength } from "./checked-lengths.js";
import { damaged } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { meansOffsets } from "./npy.js";
import { shownText, textLines } from "./text-lines.js";

/** Lengths (or offsets) of a text file with one number a line, plain or gzip; blank lines are no line. */
export async function openText(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const asOffsets = meansOffsets(basename(path), options);
  return lengthSource({
    format: "text",
    path,
    total: undefined,
    notes: asOffsets ? ["numbers read as offsets; lengths are their differences"] : [],
    meter,
    chunks: () => numbers(path, meter, asOffsets),
  });
}

async function* numbers(
  path: string,
  meter: Meter,
  asOffsets: boolean,
): AsyncGenerator<Uint32Array> {
  let seen = 0;
  let lineOffset = 0;
  const differences = new OffsetDifferences(path, () => lineOffset);
  for await (const { lines, offsets, firstNumber } of textLines(path, meter)) {
    lineOffset = offsets[0]!;
    const values: number[] = [];
    for (let i = 0; i < lines.length; i++) {
      const text = lines[i]!.trim();
      if (text === "") continue;
      values.push(parseNumber(text, path, seen + values.length, firstNumber + i, offsets[i]!));
    }
    yield asOffsets ? differences.push(values) : checkedLengths(values, seen, path);
    seen += values.length;
  }
}

/**
 * One number of a text file.
 *
 * @param index - of the document it is about
 * @throws LibraError `LENGTHS` for a number that is no length, `FORMAT` for what is no number
 */
export function parseNumber(
  text: string,
  path: string,
  index: number,
  line: number,
  offset: number,
): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^(nan|null|none|na|[+-]?inf(inity)?)$/i.test(text) || text === "") {
    throw wrongLength(path, index, text === "" ? "missing" : text);
  }
  throw damaged(path, offset, `a number on line ${line}`, shownText(text));
}
