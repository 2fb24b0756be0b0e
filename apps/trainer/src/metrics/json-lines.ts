import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { LibraError } from "@libra/base";

/** A file of one JSON object a line. */
export interface JsonLines {
  readonly path: string;
  /** Appends one whole line in one write. */
  write(value: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** @param append - go on after what the file holds; otherwise it starts empty */
export function openJsonLines(path: string, append: boolean): JsonLines {
  mkdirSync(dirname(path), { recursive: true });
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
