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
  // A reader such as `head` that has seen enough is no error of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    colors: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    // The name is a value, not a literal, so that no bundler pulls the package in.
    load: (name) => import(name),
  };
}
