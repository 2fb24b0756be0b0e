import { LibraError, requireOneOf } from "@libra/base";
import { openArrow } from "./arrow.js";
import { exists } from "./byte-file.js";
import { openCsv } from "./csv.js";
import { corpusFiles, detectFolder, detectFormat } from "./detect.js";
import { openDolma } from "./dolma.js";
import { openHuggingFace } from "./hugging-face.js";
import { openJsonl } from "./jsonl.js";
import {
  type LengthSource,
  type SourceFormat,
  type SourceOptions,
  sourceFormats,
} from "./length-source.js";
import { openMds } from "./mds.js";
import { openMegatron } from "./megatron.js";
import { openNpy } from "./npy.js";
import { openNpz } from "./npz.js";
import { openParquet } from "./parquet.js";
import { openRagged } from "./ragged.js";
import { joinSources } from "./several.js";
import { openText } from "./text.js";
import { openTokens } from "./tokens.js";
import { openWebDataset } from "./webdataset.js";

const openers: Record<
  SourceFormat,
  (path: string, options: SourceOptions) => Promise<LengthSource>
> = {
  megatron: openMegatron,
  parquet: openParquet,
  arrow: openArrow,
  huggingFace: openHuggingFace,
  mds: openMds,
  npy: openNpy,
  npz: openNpz,
  ragged: openRagged,
  dolma: openDolma,
  webdataset: openWebDataset,
  jsonl: openJsonl,
  csv: openCsv,
  text: openText,
  tokens: openTokens,
};

/**
 * Opens document lengths, whatever they are stored in: a Megatron `.idx` (or its prefix), Parquet,
 * Arrow or Feather, a `save_to_disk` folder, a MosaicML folder, `.npy`, `.npz`, a ragged store, dolma
 * parts, WebDataset tars, JSONL, CSV, text, or a run of token ids. Nothing is converted, and only
 * what tells the lengths is read.
 *
 * @param path - a file or folder, or several, whose documents follow one another (those of a folder
 *   of plain files in the order of their names)
 * @throws LibraError `FORMAT` for damage (file, offset, what was expected), `UNSUPPORTED` for
 *   formats that are refused (with the way out), `ARGUMENT` for a path or column that is not there;
 *   while iterating also `LENGTHS` for a wrong length (its index)
 */
export async function openLengths(
  path: string | readonly string[],
  options: SourceOptions = {},
): Promise<LengthSource> {
  if (options.format !== undefined) requireOneOf(options.format, "format", sourceFormats);
  if (typeof path !== "string") {
    const sources: LengthSource[] = [];
    for (const one of path) sources.push(await openLengths(one, options));
    return joinSources(sources);
  }
  const format = await formatOf(path, options.format);
  if (format === undefined) return openLengths(await corpusFiles(path), options);
  try {
    return await openers[format](path, options);
  } catch (error) {
    if (error instanceof LibraError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new LibraError(
      "ARGUMENT",
      `${path}: expected ${format} lengths but it cannot be opened (${code ?? String(error)})`,
      { cause: error, details: { path } },
    );
  }
}

// `undefined` for a folder of plain files, each of which is then looked at.
async function formatOf(
  path: string,
  asked: SourceFormat | undefined,
): Promise<SourceFormat | undefined> {
  if (asked === "huggingFace" || asked === "mds" || asked === "ragged") return asked;
  if (await exists(path, "folder")) return detectFolder(path);
  return asked ?? (await detectFormat(path));
}
