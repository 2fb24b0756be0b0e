import { expected } from "@libra/base";
import type { Part } from "./chart/chart.js";
import type { Source } from "./read/read-source.js";
import { runPart } from "./run/run-part.js";
import { sideBySide } from "./run/side-by-side.js";
import { simulationPart } from "./simulation/simulation-part.js";

/** Everything that a report shows, before it becomes a page or a drawing. */
export interface Report {
  readonly title: string;
  readonly parts: readonly Part[];
}

/**
 * Turns sources into a report: a part for each, and one that compares runs where there are several.
 *
 * @param title - default: what it is about
 * @throws LibraError `ARGUMENT` without sources
 */
export function buildReport(sources: readonly Source[], title?: string): Report {
  if (sources.length === 0) throw expected("at least one source", "sources", sources);
  const runs = sources.flatMap((source) => (source.kind === "run" ? [source.run] : []));
  const parts = sources.map((source) =>
    source.kind === "run" ? runPart(source.run) : simulationPart(source.simulation),
  );
  return {
    title: title ?? (parts.length === 1 ? parts[0]!.title : "Libra report"),
    parts: runs.length > 1 ? [sideBySide(runs), ...parts] : parts,
  };
}
