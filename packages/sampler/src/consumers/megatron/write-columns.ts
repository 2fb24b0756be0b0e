import { copyFile, link, rename, unlink } from "node:fs/promises";
import { exists } from "../../sources/byte-file.js";
import { AtomicFile, writeAtomically } from "../atomic-file.js";
import { type NpyColumn, reordered } from "./npy-column.js";

/** Where the file that Megatron wrote is kept. */
export function keptPath(path: string): string {
  return `${path}.before-libra`;
}

/**
 * Puts every column's numbers in a new order. All new files are written and flushed before the first
 * takes its name, so that what fails (a full disk) fails while the old files stand.
 *
 * @param order - new entry → old entry
 */
export async function writeColumns(
  columns: readonly NpyColumn[],
  order: ArrayLike<number>,
): Promise<void> {
  const files: AtomicFile[] = [];
  try {
    for (const column of columns) {
      const file = await AtomicFile.create(column.path, { overwrite: true });
      files.push(file);
      await file.write(reordered(column, order));
      await file.flush();
    }
    for (const { path } of columns) await keep(path);
    for (const file of files) await file.commit();
  } finally {
    for (const file of files) await file.discard();
  }
}

/** Writes what was done beside the cache; Megatron does not look at it. */
export async function writeRecord(path: string, record: object): Promise<void> {
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  await writeAtomically(path, { overwrite: true }, (file) => file.write(Buffer.from(text)));
}

// The first rewrite keeps Megatron's own file; later ones leave that alone.
async function keep(path: string): Promise<void> {
  const kept = keptPath(path);
  if (await exists(kept)) return;
  try {
    await link(path, kept);
  } catch {
    // No hard links here: a copy, which a crash must not leave half done under the kept name.
    const partial = `${kept}.${process.pid}.partial`;
    try {
      await copyFile(path, partial);
      await rename(partial, kept);
    } finally {
      await unlink(partial).catch(() => {});
    }
  }
}
