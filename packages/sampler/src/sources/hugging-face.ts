import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expected } from "@libra/base";
import { arrowLengths, openArrowColumn } from "./arrow.js";
import type { ArrowColumn } from "./arrow-schema.js";
import { exists, type Meter } from "./byte-file.js";
import { damaged, refused } from "./format-error.js";
import { type LengthSource, lengthSource, type SourceOptions } from "./length-source.js";

interface State {
  _data_files?: unknown;
  _indices_files?: unknown;
  _indices_data_files?: unknown;
}

/**
 * Lengths of a folder that Hugging Face's `Dataset.save_to_disk` wrote: its Arrow files in the order
 * that `state.json` lists, which is the data set's order.
 */
export async function openHuggingFace(path: string, options: SourceOptions): Promise<LengthSource> {
  const meter: Meter = { bytes: 0 };
  const folder = basename(path) === "state.json" ? dirname(path) : path;
  const files = await readState(folder, meter);
  const parts: Array<{ file: string; column: ArrowColumn; first: number }> = [];
  let rows = 0;
  for (const file of files) {
    const opened = await openArrowColumn(file, options.column, meter);
    parts.push({ file, column: opened.column, first: rows });
    rows += opened.rows;
  }
  return lengthSource({
    format: "huggingFace",
    path,
    total: rows,
    notes: parts.length === 0 ? [] : [`column ${parts[0]!.column.name}`],
    meter,
    chunks: async function* () {
      for (const { file, column, first } of parts) yield* arrowLengths(file, column, meter, first);
    },
  });
}

async function readState(folder: string, meter: Meter): Promise<string[]> {
  if (await exists(join(folder, "dataset_dict.json"))) {
    const entries = await readdir(folder, { withFileTypes: true });
    const splits = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    throw expected(`one split of this DatasetDict (${splits.sort().join(", ")})`, "path", folder);
  }
  const path = join(folder, "state.json");
  if (!(await exists(path))) {
    throw expected("a folder with state.json for the format huggingFace", "path", folder);
  }
  const text = await readFile(path, "utf8");
  meter.bytes += Buffer.byteLength(text);
  let state: State | null;
  try {
    state = JSON.parse(text);
  } catch (error) {
    throw damaged(path, 0, "JSON", (error as Error).message, error);
  }
  for (const indices of [state?._indices_files, state?._indices_data_files]) {
    if (Array.isArray(indices) && indices.length > 0) {
      throw refused(
        path,
        "the data set was saved with an indices mapping beside its data",
        "Call flatten_indices() and save it again",
      );
    }
  }
  if (!Array.isArray(state?._data_files)) throw damaged(path, 0, "a list _data_files", "none");
  return state._data_files.map((file: { filename?: unknown } | null) => {
    const name = file?.filename;
    if (typeof name === "string" && name === basename(name)) return join(folder, name);
    throw damaged(path, 0, "a file name in _data_files", JSON.stringify(file) ?? "none");
  });
}
