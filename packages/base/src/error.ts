/** Stable codes of {@link LibraError}; programs branch on these, never on messages. */
export type ErrorCode =
  | "ARGUMENT"
  | "CONFIGURATION"
  | "LAYOUT"
  | "ENVIRONMENT"
  | "LENGTHS"
  | "STATE"
  | "PLAN"
  | "FORMAT"
  | "TIMEOUT"
  | "MISMATCH"
  | "ABORTED"
  | "RANK_FAILED"
  | "UNSUPPORTED"
  | "INTERNAL"
  | "NATIVE";

/** What a {@link LibraError} carries beside its message. */
export interface LibraErrorOptions {
  /** The error that led to this one. */
  cause?: unknown;
  /** Plain values a program may want: ranks, byte counts, valid values. */
  details?: Record<string, unknown>;
}

/** The only error class that Libra throws. */
export class LibraError extends Error {
  override readonly name = "LibraError";
  /** One of {@link ErrorCode}, or a code of a package built on Libra. */
  readonly code: string;
  readonly details?: Record<string, unknown>;

  constructor(code: ErrorCode | (string & {}), message: string, options: LibraErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
  }
}

/**
 * The error for a wrong argument; the caller throws it.
 *
 * @param what - what would have been right, with its article: "a positive integer"
 * @param name - the argument's name as the caller of the public function knows it
 * @param received - the value that came instead
 * @returns code `ARGUMENT`, "Expected a positive integer for window but received -3"
 */
export function expected(what: string, name: string, received: unknown): LibraError {
  return new LibraError(
    "ARGUMENT",
    `Expected ${what} for ${name} but received ${describe(received)}`,
  );
}

const longest = 80;

function describe(value: unknown): string {
  if (typeof value === "string") return shorten(JSON.stringify(value));
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return value.toString();
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `the error ${shorten(value.message)}`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} of ${value.byteLength} bytes`;
  try {
    return shorten(JSON.stringify(value));
  } catch {
    return "an object";
  }
}

function shorten(text: string | undefined): string {
  if (text === undefined) return "an object";
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
