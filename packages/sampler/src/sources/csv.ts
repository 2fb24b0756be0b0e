import { basename } from "node:path";
import type { Meter } from "./byte-file.js";
import { checkedLengths, OffsetDifferences } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { contentStream } from "./content-stream.js";
import { CsvRows } from "./csv-rows.js";
import { damaged } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { meansOffsets } from "./npy.js";
import { parseNumber } from "./text.js";

interface CsvLayout {
  column: number;
  header: boolean;
  name: string;
}

/**
 * Lengths (or offsets) of one column of a CSV or TSV file, plain or gzip: comma, semicolon or tab,
 * told from the first line; a first line without numbers names the columns.
 */
export async function openCsv(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const layout = await readLayout(path, meter, options.column);
  const asOffsets = meansOffsets(basename(path), options);
  return lengthSource({
    format: "csv",
    path,
    total: undefined,
    notes: [`column ${layout.name}`],
    meter,
    chunks: () => numbers(path, meter, layout, asOffsets),
  });
}

async function* numbers(
  path: string,
  meter: Meter,
  layout: CsvLayout,
  asOffsets: boolean,
): AsyncGenerator<Uint32Array> {
  const rows = new CsvRows(path);
  let seen = 0;
  let skip = layout.header ? 1 : 0;
  let at = 0;
  const differences = new OffsetDifferences(path, () => at);
  const take = (batch: readonly string[][]): Uint32Array => {
    const values: number[] = [];
    for (const row of batch) {
      if (skip > 0) {
        skip--;
        continue;
      }
      const field = row[layout.column]?.trim() ?? "";
      if (row.length === 1 && row[0]!.trim() === "") continue;
      const line = seen + values.length + (layout.header ? 2 : 1);
      values.push(parseNumber(field, path, seen + values.length, line, at));
    }
    const lengths = asOffsets ? differences.push(values) : checkedLengths(values, seen, path);
    seen += values.length;
    return lengths;
  };
  for await (const piece of contentStream(path, meter)) {
    at = rows.offset;
    yield take(rows.push(piece));
  }
  yield take(rows.end());
}

async function readLayout(
  path: string,
  meter: Meter,
  wanted: string | undefined,
): Promise<CsvLayout> {
  const first = await firstRow(path, meter);
  if (first.every((field) => field === "")) {
    throw damaged(path, 0, "a line of columns", "an empty file");
  }
  const header = first.some((field) => field.trim() !== "" && Number.isNaN(Number(field)));
  const offers = first.map((field, index) => ({
    name: header ? field.trim() : String(index),
    kind: "number" as const,
    index,
  }));
  const byNumber =
    wanted !== undefined && /^\d+$/.test(wanted) ? offers[Number(wanted)] : undefined;
  const onlyOne = offers.length === 1 && wanted === undefined ? offers[0] : undefined;
  const chosen = byNumber ?? onlyOne ?? chooseColumn(path, offers, wanted);
  return { column: chosen.index, header, name: chosen.name };
}

async function firstRow(path: string, meter: Meter): Promise<string[]> {
  const rows = new CsvRows(path);
  for await (const piece of contentStream(path, meter)) {
    const [first] = rows.push(piece);
    if (first !== undefined) return first;
  }
  return rows.end()[0] ?? [""];
}
