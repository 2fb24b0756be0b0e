import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LibraError } from "@libra/base";

/**
 * Makes a folder and those above it. Node's own recursive call never comes back where a file system
 * takes no folders (/proc), so every level is asked for once.
 *
 * @throws LibraError `ENVIRONMENT` that names the folder
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code === "ENOENT" && dirname(path) !== path && !existsSync(dirname(path))) {
      makeFolder(dirname(path));
      makeFolder(path);
      return;
    }
    const reason = code === "EEXIST" ? "there is a file of that name" : code;
    throw new LibraError(
      "ENVIRONMENT",
      `${path}: expected a folder that can be made and written (${reason}); choose another output`,
      { cause },
    );
  }
}
