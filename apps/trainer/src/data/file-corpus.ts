import { readFileSync, statSync } from "node:fs";
import { LibraError } from "@libra/base";
import type { Corpus, SourceDocument } from "./corpus.js";
import { listFiles } from "./list-files.js";

/**
 * Text files, one document each; a folder stands for all files below it.
 *
 * @throws LibraError `CONFIGURATION` when a path cannot be read
 */
export function textCorpus(paths: readonly string[]): Corpus {
  const files = paths.flatMap((path) => filesAt(path, "data.paths"));
  const documents = files.map((name) => ({ name, text: readFileSync(name, "utf8") }));
  return { documents, notes: [`${files.length} text files`] };
}

/**
 * JSONL files: every line that is not empty is an object whose `field` is one document.
 *
 * @throws LibraError `CONFIGURATION` when a path cannot be read, `FORMAT` that names file and line
 */
export function jsonlCorpus(paths: readonly string[], field: string): Corpus {
  const files = paths.flatMap((path) => filesAt(path, "data.paths"));
  const documents = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, index) => (line.trim() === "" ? [] : [parseLine(file, index, line, field)])),
  );
  return { documents, notes: [`${documents.length} documents from ${files.length} JSONL files`] };
}

function filesAt(path: string, where: string): string[] {
  try {
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  } catch (cause) {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: cannot read ${path}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function parseLine(file: string, index: number, line: string, field: string): SourceDocument {
  const name = `${file}:${index + 1}`;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new LibraError("FORMAT", `${name} is no JSON: ${(cause as Error).message}`, { cause });
  }
  const text = (value as Record<string, unknown> | null)?.[field];
  if (typeof text === "string") return { name, text };
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  throw new LibraError(
    "FORMAT",
    `${name} has no text in field "${field}"; its fields: ${keys.join(", ") || "none"}`,
  );
}
