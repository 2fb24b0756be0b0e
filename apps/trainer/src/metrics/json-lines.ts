import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { LibraError } from "@libra/base";
import { writeFileAtomic } from "../files/atomic.js";
import { makeFolder } from "../files/make-folder.js";

/** A file of one JSON object a line. */
export interface JsonLines {
  readonly path: string;
  /** Appends one whole line in one write. */
  write(value: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** @param append - go on after what the file holds; otherwise it starts empty */
export function openJsonLines(path: string, append: boolean): JsonLines {
  makeFolder(dirname(path));
  const file = openSync(path, append ? "a" : "w");
  let open = true;
  return {
    path,
    write(value) {
      // The number of a closed file may by now be another file's.
      if (!open) throw new LibraError("INTERNAL", `${path} has been closed`);
      writeSync(file, `${JSON.stringify(value)}\n`);
    },
    close() {
      open = false;
      closeSync(file);
    },
  };
}

/**
 * Keeps the lines at the beginning that `keep` wants, up to the first that it does not want or that is
 * no whole object; a file that is not there stays away.
 */
export function cutJsonLines(
  path: string,
  keep: (value: Record<string, unknown>) => boolean,
): void {
  if (!existsSync(path)) return;
  const lines = readFileSync(path, "utf8").split("\n");
  let kept = 0;
  while (kept < lines.length - 1 && wanted(lines[kept]!, keep)) kept += 1;
  if (kept === lines.length - 1 && lines[kept] === "") return;
  writeFileAtomic(
    path,
    lines.slice(0, kept).map((line) => `${line}\n`),
  );
}

function wanted(line: string, keep: (value: Record<string, unknown>) => boolean): boolean {
  try {
    return keep(JSON.parse(line) as Record<string, unknown>);
  } catch {
    return false;
  }
}
