import { join } from "node:path";
import { LibraError } from "@libra/base";
import type { TrainConfig } from "../config/schema.js";
import { type Documents, shortenDocuments } from "../data/documents.js";
import { type LoadedCorpus, type LoadReport, loadCorpus } from "../data/load-corpus.js";
import { restoreIds } from "../data/vocabulary.js";
import { loadModel } from "../model/hugging-face-folder.js";
import { initialParameters } from "../model/initial.js";
import type { ModelSizes } from "../model/sizes.js";
import { loadCheckpoint, newestCheckpoint } from "./checkpoint.js";
import type { RunInputs } from "./rank-trainer.js";
import type { StartState } from "./start-state.js";

/** Ids of Qwen3's tokenizer are below this; the width of Qwen3's own embedding. */
const tokenizerVocabulary = 151_936;

/** What a run needs, with the files that hold it. */
export interface PreparedRun extends RunInputs {
  readonly runFolder: string;
  readonly corpusFiles: readonly string[];
}

/** @returns the folder of a run */
export function runFolderOf({ output, name }: TrainConfig): string {
  return join(output, name);
}

/**
 * Loads corpus and model, and the newest checkpoint when the configuration resumes.
 *
 * @throws LibraError that names the file, key or tensor that is wrong
 */
export async function prepareRun(
  config: TrainConfig,
  report: LoadReport,
  signal?: AbortSignal,
): Promise<PreparedRun> {
  const { data, output, model, seed } = config;
  const loaded = model.path === undefined ? undefined : loadModel(model.path);
  const corpus = await loadCorpus(data, data.cache ?? join(output, "cache"), report, signal);
  const documents = documentsOf(config, corpus, report);
  const sizes = loaded?.sizes ?? sizesOf(config, documents.vocabulary);
  if (documents.vocabulary > sizes.vocabulary && data.ids === "remap") {
    throw new LibraError(
      "CONFIGURATION",
      `The corpus has ${documents.vocabulary} ids but the model in ${model.path} ${sizes.vocabulary}; lower data.vocabularySize`,
    );
  }
  if (data.ids === "tokenizer" && greatest(documents.ids) >= sizes.vocabulary) {
    throw new LibraError(
      "CONFIGURATION",
      `The corpus has id ${greatest(documents.ids)} but the model in ${model.path} only ${sizes.vocabulary} ids; set data.ids to remap, or take a model of Qwen3's vocabulary`,
    );
  }
  const runFolder = runFolderOf(config);
  const checkpoint = config.checkpoint.resume ? newestCheckpoint(runFolder) : undefined;
  let start: StartState;
  if (checkpoint !== undefined) {
    start = loadCheckpoint(checkpoint, sizes);
    report.line(`resume: ${checkpoint}, ${start.step} steps done`);
  } else {
    if (config.checkpoint.resume) {
      report.line(`resume: ${runFolder} has no checkpoint, the run starts at the beginning`);
    }
    start = { values: loaded?.values ?? initialParameters(sizes, seed), step: 0 };
  }
  return { config, sizes, documents, start, runFolder, corpusFiles: corpus.files };
}

function documentsOf(config: TrainConfig, corpus: LoadedCorpus, report: LoadReport): Documents {
  const { lengthScale, ids: kind } = config.data;
  const { tokens } = corpus.facts;
  const ids = kind === "remap" ? corpus.ids : restoreIds(corpus.ids, tokens);
  const vocabulary = kind === "remap" ? tokens.length : tokenizerVocabulary;
  const whole = { ids, offsets: corpus.offsets, vocabulary };
  const shortened = shortenDocuments(whole, lengthScale);
  if (lengthScale !== 1) {
    report.line(
      `lengthScale ${lengthScale}: every document is cut to that part of its length, ${shortened.ids.length} tokens are left`,
    );
  }
  return shortened;
}

function sizesOf(config: TrainConfig, vocabulary: number): ModelSizes {
  const { path: _, ...model } = config.model;
  return { ...model, vocabulary };
}

function greatest(ids: Int32Array): number {
  return ids.reduce((most, id) => Math.max(most, id), 0);
}
