import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { LibraError } from "@libra/base";
import { parseJson } from "./json-record.js";
import { type RunData, readRun } from "./read-run.js";
import { readSimulation, type SimulationSet } from "./read-simulation.js";

/** What a report is about. */
export type Source =
  | { readonly kind: "simulation"; readonly simulation: SimulationSet }
  | { readonly kind: "run"; readonly run: RunData };

/**
 * Reads one source: a runs folder of the trainer, or a file with what `libra simulate --json` prints
 * (`-`: standard input).
 *
 * @throws LibraError `ARGUMENT` for a path with nothing to read, `FORMAT` for content that is
 *   incomplete or something else
 */
export function readSource(path: string): Source {
  if (path === "-") return simulationOf(readFileSync(0, "utf8"), "standard input");
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch (cause) {
    throw unreadable(path, cause);
  }
  if (folder) return { kind: "run", run: readRun(path) };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
  return simulationOf(text, basename(path));
}

function simulationOf(text: string, name: string): Source {
  if (text.trim() === "") {
    throw new LibraError("FORMAT", `${name} is empty: expected what libra simulate --json prints`);
  }
  return { kind: "simulation", simulation: readSimulation(parseJson(text, name), name) };
}

function unreadable(path: string, cause: unknown): LibraError {
  const { code } = cause as NodeJS.ErrnoException;
  return new LibraError(
    "ARGUMENT",
    `${path}: expected a runs folder or the JSON of libra simulate (${code})`,
    { cause },
  );
}
