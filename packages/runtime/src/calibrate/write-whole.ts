import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { LibraError } from "@libra/base";

/** @throws LibraError `ARGUMENT` for a file that is there, or a folder that is not */
export function requireWritable(path: string, overwrite: boolean): void {
  if (!overwrite && existsSync(path)) throw exists(path);
  if (existsSync(dirname(path))) return;
  throw new LibraError("ARGUMENT", `${path}: the folder ${dirname(path)} does not exist`);
}

/** Writes a file that is whole or absent at any moment; without `overwrite` it never replaces one. */
export function writeWhole(path: string, text: string, overwrite: boolean): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flush: true });
    if (overwrite) renameSync(temporary, path);
    else linkSync(temporary, path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") throw exists(path);
    throw new LibraError("ARGUMENT", `${path}: the output cannot be written: ${code}`, { cause });
  } finally {
    rmSync(temporary, { force: true });
  }
}

function exists(path: string): LibraError {
  return new LibraError("ARGUMENT", `${path}: the output exists; remove it or pass --overwrite`);
}
