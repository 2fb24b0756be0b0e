import { LibraError } from "@libra/base";
import type { Command } from "commander";
import { UsageError } from "../usage-error.js";

/**
 * Runs a part of a command; errors of the libraries behind it name the command's flags in place of the
 * libraries' own options.
 *
 * @throws UsageError for a flag whose value cannot be
 */
export async function inFlags<Result>(
  command: Command,
  body: () => Promise<Result>,
): Promise<Result> {
  try {
    return await body();
  } catch (cause) {
    if (!(cause instanceof LibraError) || cause instanceof UsageError) throw cause;
    const message = withFlags(cause.message, command);
    if (/ for --[a-z-]+ but received /.test(message)) throw new UsageError(message);
    if (message === cause.message) throw cause;
    throw new LibraError(cause.code, message, { cause, details: cause.details ?? {} });
  }
}

/** "Expected a divisor of dp (4) for poolSize" as "Expected a divisor of --dp (4) for --pool-size". */
function withFlags(message: string, command: Command): string {
  let text = message.replace(/\bset dropLast to false\b/, "pass --no-drop-last");
  for (const option of command.options) {
    const name = option.attributeName();
    const { long } = option;
    if (long === undefined || long === null) continue;
    // What is a word of its own, such as order, is an option only in some places.
    const isWord = /^[a-z]{3,}$/.test(name);
    const places = isWord
      ? [
          `(?<= for )${name}(?= but received)`,
          `(?<=\\b(?:choose|use) )${name}(?= ")`,
          `(?<=\\bthe )${name}(?= option\\b)`,
        ]
      : [`(?<![\\w-])${name}(?!\\w)`];
    text = text.replace(new RegExp(places.join("|"), "g"), long);
  }
  return text;
}
