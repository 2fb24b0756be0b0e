import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import type { TrainConfig } from "../config/schema.js";
import { newestCheckpoint } from "../train/checkpoint.js";
import { runFolderOf } from "../train/prepare.js";

/**
 * Makes sure that a new run does not mix with an older one of the same name.
 *
 * @returns the run's folder
 * @throws LibraError `CONFIGURATION` when checkpoints are there and the run neither resumes nor overwrites
 */
export function claimRunFolder(config: TrainConfig): string {
  const folder = runFolderOf(config);
  const newest = newestCheckpoint(folder);
  if (config.checkpoint.resume || newest === undefined) return folder;
  if (!config.checkpoint.overwrite) {
    throw new LibraError(
      "CONFIGURATION",
      `${newest} is there from an earlier run; go on with --resume, choose another name, or set checkpoint.overwrite`,
    );
  }
  return folder;
}

/** Removes an older run's checkpoints: once the new run is ready, so that a mistake in it loses nothing. */
export function removeCheckpoints(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith("checkpoint-")) rmSync(join(folder, name), { recursive: true });
  }
}
