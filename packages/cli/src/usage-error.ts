import { LibraError } from "@libra/base";

/** Words of the command line that make no sense together; the command ends with code 2. */
export class UsageError extends LibraError {
  constructor(message: string) {
    super("ARGUMENT", message);
  }
}
