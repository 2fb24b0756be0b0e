import { LibraError } from "@libra/base";
import type { TrainListener } from "../train/train.js";
import { WrongUsage } from "./wrong-usage.js";

/** How a caller listens to a command. */
export interface CommandOptions {
  /** Receives each line for people; default: standard output. */
  readonly print?: (line: string) => void;
  /** Receives the message of an error; default: standard error. */
  readonly printError?: (message: string) => void;
  readonly listener?: TrainListener;
  /** Variables that a launcher may have set; default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a command: an interrupt stops all ranks, an error becomes one message and exit code 1, or 2 after
 * wrong usage.
 *
 * @param name - what the message begins with
 */
export async function attempt(
  name: string,
  options: CommandOptions,
  command: (context: { print: (line: string) => void; signal: AbortSignal }) => Promise<void>,
): Promise<number> {
  const { print = console.log, printError = console.error } = options;
  const controller = new AbortController();
  const stop = (received: NodeJS.Signals): void =>
    controller.abort(new Error(`received ${received}`));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    await command({ print, signal: controller.signal });
    return 0;
  } catch (error) {
    // A mistake of the user or of the machine has a code; anything else is ours, with its stack.
    const { message, stack, syscall } = error as NodeJS.ErrnoException;
    const known = error instanceof LibraError || syscall !== undefined;
    printError(`${name}: ${known ? message : stack}`);
    return error instanceof WrongUsage ? 2 : 1;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}
