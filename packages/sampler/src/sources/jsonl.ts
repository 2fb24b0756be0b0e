import type { Meter } from "./byte-file.js";
import { checkedLengths, wrongLength } from "./checked-lengths.js";
import { type ColumnOffer, chooseColumn } from "./column-names.js";
import { damaged } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { shownText, textLines } from "./text-lines.js";

/**
 * Lengths of a JSONL file, plain or gzip: a number in each object, or the size of a list in it. The
 * whole text is read either way; where lines hold token lists this is the corpus itself.
 */
export async function openJsonl(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const column = await firstColumn(path, meter, options.column);
  const notes =
    column?.kind === "list"
      ? [`lengths are sizes of ${column.name}; the whole file has to be read for them`]
      : [];
  return lengthSource({
    format: "jsonl",
    path,
    total: undefined,
    notes,
    meter,
    chunks: () => lengths(path, meter, column),
  });
}

async function* lengths(
  path: string,
  meter: Meter,
  column: ColumnOffer | undefined,
): AsyncGenerator<Uint32Array> {
  if (column === undefined) return;
  let seen = 0;
  for await (const { lines, offsets, firstNumber } of textLines(path, meter)) {
    const values: number[] = [];
    for (let i = 0; i < lines.length; i++) {
      if (lines[i]!.trim() === "") continue;
      const record = parse(lines[i]!, path, firstNumber + i, offsets[i]!);
      const value = fieldOf(record, column.name);
      if (Array.isArray(value)) values.push(value.length);
      else if (typeof value === "number") values.push(value);
      else throw wrongLength(path, seen + values.length, describe(value));
    }
    yield checkedLengths(values, seen, path);
    seen += values.length;
  }
}

/** The column, chosen on the first record; `undefined` when the file has no record. */
async function firstColumn(
  path: string,
  meter: Meter,
  wanted: string | undefined,
): Promise<ColumnOffer | undefined> {
  for await (const { lines, offsets, firstNumber } of textLines(path, meter)) {
    for (let i = 0; i < lines.length; i++) {
      if (lines[i]!.trim() === "") continue;
      const record = parse(lines[i]!, path, firstNumber + i, offsets[i]!);
      const offers = Object.entries(record).map(([name, value]) => ({ name, kind: kindOf(value) }));
      const nested = wanted?.includes(".") ? fieldOf(record, wanted) : undefined;
      if (wanted !== undefined && nested !== undefined) {
        offers.push({ name: wanted, kind: kindOf(nested) });
      }
      return chooseColumn(path, offers, wanted);
    }
  }
  return undefined;
}

function parse(text: string, path: string, line: number, offset: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const found = `${shownText(text)} (${(error as Error).message})`;
    throw damaged(path, offset, `a JSON object on line ${line}`, found, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw damaged(path, offset, `a JSON object on line ${line}`, shownText(text));
  }
  return value as Record<string, unknown>;
}

function fieldOf(record: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name];
  let value: unknown = record;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function kindOf(value: unknown): ColumnOffer["kind"] {
  if (typeof value === "number") return "number";
  return Array.isArray(value) ? "list" : "other";
}

function describe(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 60);
}
