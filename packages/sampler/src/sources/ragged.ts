import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expected } from "@libra/base";
import { exists, type Meter, streamFile, withFile } from "./byte-file.js";
import { chunkDocuments } from "./checked-lengths.js";
import { chooseColumn } from "./column-names.js";
import { damaged } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";
import { checkNpyFile, lengthsOfArray } from "./npy.js";
import { npyCount } from "./npy-header.js";

/**
 * Lengths of a ragged store (Megatron-Bridge): a folder with `meta.json` and, for each column, its
 * numbers in `NAME.npy` and its borders in `NAME.offsets.npy`. Only the borders are read.
 */
export async function openRagged(folder: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const { columns, items } = await readMeta(folder, meter);
  const offers = columns.map((name) => ({ name, kind: "list" as const }));
  const { name } = chooseColumn(folder, offers, options.column);
  const path = join(folder, `${name}.offsets.npy`);
  const header = await withFile(path, meter, checkNpyFile);
  if (items !== undefined && npyCount(header) !== items + 1) {
    throw damaged(path, 0, `${items + 1} offsets for ${items} items`, String(npyCount(header)));
  }
  return lengthSource({
    format: "ragged",
    path: folder,
    total: Math.max(0, npyCount(header) - 1),
    notes: [`column ${name}`],
    meter,
    chunks: () =>
      streamFile(path, meter, (file) =>
        lengthsOfArray(
          file.pieces(header.dataOffset, file.size, chunkDocuments * header.type.size),
          header,
          { path, start: 0, asOffsets: true },
        ),
      ),
  });
}

/** Whether a folder is a ragged store, for detection. */
export async function isRagged(folder: string): Promise<boolean> {
  if (!(await exists(join(folder, "meta.json")))) return false;
  try {
    await readMeta(folder, { bytes: 0 });
    return true;
  } catch {
    return false;
  }
}

async function readMeta(
  folder: string,
  meter: Meter,
): Promise<{ columns: string[]; items: number | undefined }> {
  const path = join(folder, "meta.json");
  if (!(await exists(path))) {
    throw expected("a folder with meta.json for the format ragged", "path", folder);
  }
  const text = await readFile(path, "utf8");
  meter.bytes += Buffer.byteLength(text);
  let meta: unknown;
  try {
    meta = JSON.parse(text);
  } catch (error) {
    throw damaged(path, 0, "JSON", (error as Error).message, error);
  }
  const { columns, num_items: items } = (meta ?? {}) as { columns?: unknown; num_items?: unknown };
  if (!Array.isArray(columns) || !columns.every((name) => typeof name === "string")) {
    throw damaged(path, 0, "a list of columns", JSON.stringify(columns) ?? "none");
  }
  if (items !== undefined && !(Number.isSafeInteger(items) && (items as number) >= 0)) {
    throw damaged(path, 0, "num_items to be a count", JSON.stringify(items));
  }
  return { columns, items: items as number | undefined };
}
