import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LibraError } from "@libra/base";
import { encodePlan } from "@libra/scheduler";
import type { PlannedPool } from "./tile-planning.js";

const extension = ".tiles";

/** A folder of tile plan files: one for each step, micro-step and pool. */
export class TileFiles {
  readonly #folder: string;
  readonly #overwrite: boolean;
  #written = 0;

  /** @throws LibraError `ARGUMENT` when the folder holds tile plans already, or cannot be made */
  constructor(folder: string, overwrite: boolean) {
    this.#folder = folder;
    this.#overwrite = overwrite;
    const held = attempt(folder, () => {
      mkdirSync(folder, { recursive: true });
      return readdirSync(folder).some((name) => name.endsWith(extension));
    });
    if (held && !overwrite) {
      throw new LibraError(
        "ARGUMENT",
        `${folder}: it holds tile plans already; remove them or pass --overwrite`,
      );
    }
  }

  write({ report, plan }: PlannedPool): void {
    const { step, microStep, pool } = report;
    const path = join(this.#folder, `step${step}-micro${microStep}-pool${pool}${extension}`);
    const flag = this.#overwrite ? "w" : "wx";
    attempt(path, () => writeFileSync(path, encodePlan(plan), { flag }));
    this.#written++;
  }

  /** What was written, for the summary. */
  toString(): string {
    return `${this.#written} tile plans in ${this.#folder}`;
  }
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new LibraError("ARGUMENT", `${path}: the output cannot be written: ${code}`, { cause });
  }
}
