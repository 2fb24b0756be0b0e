import { LibraError } from "@libra/base";

/**
 * The error for a damaged, truncated or wrong-typed file; the caller throws it.
 *
 * @param path - the file as the user named it
 * @param offset - byte offset of what is wrong, from the start of the file
 * @param wanted - what would have been right: "a list of 12 lengths (48 bytes)"
 * @param found - what is there instead
 * @returns code `FORMAT`, "PATH: at byte OFFSET: expected WANTED but found FOUND"
 */
export function damaged(
  path: string,
  offset: number,
  wanted: string,
  found: string,
  cause?: unknown,
): LibraError {
  return new LibraError(
    "FORMAT",
    `${path}: at byte ${offset}: expected ${wanted} but found ${found}`,
    { details: { path, offset }, ...(cause === undefined ? {} : { cause }) },
  );
}

/**
 * The error for a file that is understood but not read.
 *
 * @param reason - why it is not read
 * @param wayOut - what the user can do instead
 * @returns code `UNSUPPORTED`, "PATH: REASON. WAY OUT."
 */
export function refused(path: string, reason: string, wayOut: string): LibraError {
  return new LibraError("UNSUPPORTED", `${path}: ${reason}. ${wayOut}.`, { details: { path } });
}

// The way out for everything that only Python's pickle can open.
const insteadOfPickle =
  'Write the lengths from Python once, for example numpy.save("lengths.npy", lengths) with an ' +
  "integer array, and read that file";

/** The refusal of Python pickles in any wrapping. */
export function refusedPickle(path: string, what: string): LibraError {
  return refused(
    path,
    `${what} is a Python pickle, and opening a pickle runs whatever code it contains`,
    insteadOfPickle,
  );
}
