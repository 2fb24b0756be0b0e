import { LibraError } from "@libra/base";

/** The error a promise rejects with, which must be a LibraError. */
export async function faultOf(promise: Promise<unknown>): Promise<LibraError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof LibraError)) throw new Error(`no LibraError but ${String(outcome)}`);
  return outcome;
}
