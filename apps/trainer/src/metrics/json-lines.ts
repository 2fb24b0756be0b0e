import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

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
  return {
    path,
    write: (value) => {
      writeSync(file, `${JSON.stringify(value)}\n`);
    },
    close: () => closeSync(file),
  };
}
