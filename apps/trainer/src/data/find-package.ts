import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LibraError } from "@libra/base";

/** An npm package found on this machine. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Its folder, symbolic links resolved. */
  readonly folder: string;
}

/**
 * Finds an installed package as Node would, from the working folder and from this file upwards, but
 * without its `exports`, which hide most files.
 *
 * @throws LibraError `CONFIGURATION` that lists the folders tried
 */
export function findPackage(name: string): InstalledPackage {
  const tried: string[] = [];
  for (const start of [process.cwd(), dirname(fileURLToPath(import.meta.url))]) {
    for (let folder = start; ; folder = dirname(folder)) {
      const candidate = join(folder, "node_modules", name);
      if (existsSync(join(candidate, "package.json"))) return describe(name, candidate);
      tried.push(candidate);
      if (folder === dirname(folder)) break;
    }
  }
  throw new LibraError(
    "CONFIGURATION",
    `The npm package ${name} is not installed; install it or name others in data.packages. Tried: ${tried.join(", ")}`,
  );
}

function describe(name: string, link: string): InstalledPackage {
  const folder = realpathSync(link);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, licence: license ?? "no licence named", folder };
}
