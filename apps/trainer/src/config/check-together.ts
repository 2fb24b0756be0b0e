import { LibraError } from "@libra/base";
import { checkSizes } from "../model/sizes.js";
import type { TrainConfig } from "./schema.js";

/** What the runtime starts in one process. */
const mostRanks = 1024;

/**
 * Rules that bind several keys.
 *
 * @throws LibraError `CONFIGURATION`
 */
export function checkTogether(config: TrainConfig, where: string): void {
  const { model, layout, batch, strategy, data } = config;
  if (layout.dp * layout.cp > mostRanks) {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: layout: Expected dp × cp of at most ${mostRanks}, all in one process, but received ${layout.dp} × ${layout.cp}`,
    );
  }
  if (model.path === undefined) {
    checkSizes({ ...model, vocabulary: data.vocabularySize }, `${where}: model`);
  }
  if (batch.poolSize !== undefined && layout.dp % batch.poolSize !== 0) {
    const valid = Array.from({ length: layout.dp }, (_, i) => i + 1).filter(
      (size) => layout.dp % size === 0,
    );
    throw new LibraError(
      "CONFIGURATION",
      `${where}: batch.poolSize: Expected one of ${valid.join(", ")} (divisors of dp ${layout.dp}) but received ${batch.poolSize}`,
    );
  }
  if (strategy.tolerance === "auto" && strategy.planner !== "libra") {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: strategy.tolerance: Expected a number from 0 to 1 for the planner "${strategy.planner}" but received "auto"; only libra predicts`,
    );
  }
  if (strategy.scope === "world" && strategy.planner !== "disaggregated") {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: strategy.scope: Expected pool for the planner "${strategy.planner}" but received "world"; only disaggregated moves work among all ranks`,
    );
  }
  if (data.corpus !== "npm" && data.paths.length === 0) {
    throw new LibraError(
      "CONFIGURATION",
      `${where}: data.paths: Expected at least one file or folder for the corpus "${data.corpus}" but received []`,
    );
  }
}
