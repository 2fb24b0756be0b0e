/** What the commands use of the process, so that tests can look at it. */
export interface Io {
  /** Results: standard output. */
  out(text: string): void;
  /** Progress, notes and errors: standard error. */
  error(text: string): void;
  /** Whether standard error is a terminal: only then is progress drawn. */
  readonly terminal: boolean;
  readonly colors: boolean;
  /** Imports an optional package by its name. */
  load(name: string): Promise<unknown>;
}

/** The process itself. */
export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    colors: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    // The name is a value, not a literal, so that no bundler pulls the package in.
    load: (name) => import(name),
  };
}
