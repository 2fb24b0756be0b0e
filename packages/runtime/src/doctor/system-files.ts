import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Reads /proc, /sys and folders of libraries. What cannot be read is not there. */
export class SystemFiles {
  readonly #root: string;

  /** @param root - the folder that stands for `/` */
  constructor(root = "/") {
    this.#root = root;
  }

  /** The file's text without white space around it. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.#root, path), "utf8").trim();
    } catch {
      return undefined;
    }
  }

  /** A file's whole number. */
  number(path: string): number | undefined {
    const text = this.read(path);
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  }

  /** Names in a folder, in order. */
  list(path: string): string[] {
    try {
      return readdirSync(join(this.#root, path)).sort();
    } catch {
      return [];
    }
  }

  /** The file that a path leads to. */
  real(path: string): string | undefined {
    try {
      const real = realpathSync(join(this.#root, path));
      const root = realpathSync(this.#root);
      return root === "/" || !real.startsWith(`${root}/`) ? real : real.slice(root.length);
    } catch {
      return undefined;
    }
  }
}

/** The numbers of a list such as `0-3,8`. */
export function numbersOf(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) return [];
    const length = Math.max(0, Number(last) - Number(first) + 1);
    return Array.from({ length }, (_, i) => Number(first) + i);
  });
}
