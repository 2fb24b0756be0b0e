import type { CommandOptions } from "./attempt.js";
import { runDemo } from "./demo.js";
import { runTrain } from "./train.js";

const commands = { train: runTrain, demo: runDemo };

/**
 * The trainer's own command line: `train …` or `demo …`.
 *
 * @returns exit code
 */
export async function runCommand(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<number> {
  const [name, ...rest] = argv;
  if (name === "train" || name === "demo") return await commands[name](rest, options);
  const { printError = console.error } = options;
  printError(
    `Expected one of ${Object.keys(commands).join(", ")} but received ${name ?? "nothing"}`,
  );
  return 2;
}
