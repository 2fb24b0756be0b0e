import { LibraError } from "@libra/base";

/** Words that a command does not take; it ends with code 2. */
export class WrongUsage extends LibraError {
  constructor(message: string, cause?: unknown) {
    super("ARGUMENT", message, { cause });
  }
}
