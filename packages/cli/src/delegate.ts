import type { Io } from "./io.js";

/** A command that another package carries out. */
export interface Delegated {
  /** The command, for messages: "libra train". */
  command: string;
  package: string;
  /** Exported function, called with the command's own words; it returns an exit code. */
  function: string;
  /** What to say where the package has no such function; default: that a newer one is needed. */
  absent?: string;
}

/**
 * Finds a command's package by name and hands the words over. Without the package, or with one that
 * lacks the function, one line says what to install.
 *
 * @param options - the function's second argument
 * @returns the exit code
 */
export async function delegate(
  { command, package: name, function: exported, absent }: Delegated,
  argv: readonly string[],
  io: Io,
  options: object = {},
): Promise<number> {
  const loaded = await loadOptional(name, io);
  if (loaded === undefined) {
    io.error(`${command} needs ${name}, which is not installed: npm install ${name}\n`);
    return 1;
  }
  const run = loaded[exported];
  if (typeof run !== "function") {
    const newer = `${command} needs a newer ${name} (one that exports ${exported}): npm install ${name}@latest`;
    io.error(`${absent ?? newer}\n`);
    return 1;
  }
  return Number(await run(argv, options));
}

/** The package's exports, or `undefined` when it is not installed. Its own failures pass through. */
export async function loadOptional(
  name: string,
  io: Io,
): Promise<Record<string, unknown> | undefined> {
  try {
    return (await io.load(name)) as Record<string, unknown>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    // A package whose own dependency is missing is installed, and its error says more.
    if (missing && message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}
