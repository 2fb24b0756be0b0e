import { readFile } from "node:fs/promises";
import { LibraError } from "@libra/base";
import { type PlanningCost, parseProfile, profileCost } from "@libra/cost-model";

/** The planning cost that a calibration profile describes. */
export async function readCost(path: string): Promise<PlanningCost> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new LibraError("ARGUMENT", `${path}: expected a calibration profile (${code})`, {
      cause,
    });
  }
  try {
    return profileCost(parseProfile(text));
  } catch (cause) {
    if (!(cause instanceof LibraError)) throw cause;
    throw new LibraError(cause.code, `${path}: ${cause.message}`, { cause });
  }
}
