import { link, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LibraError } from "@libra/base";

/**
 * Writes an output that appears whole or not at all.
 *
 * @param overwrite - replace a file that exists; else it is an error and stays as it was
 * @throws LibraError `ARGUMENT` when the output exists or cannot be written
 */
export async function writeOutput(
  path: string,
  content: string | Uint8Array,
  overwrite: boolean,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  try {
    await writeFile(temporary, content);
    // A link fails where the name is taken; a rename would replace what is there.
    if (overwrite) await rename(temporary, path);
    else await link(temporary, path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === "EEXIST"
        ? "the output exists; remove it or pass --overwrite"
        : `the output cannot be written: ${code === "ENOSPC" ? "the disk is full" : code}`;
    throw new LibraError("ARGUMENT", `${path}: ${reason}`, { cause });
  } finally {
    await rm(temporary, { force: true });
  }
}
