import { expected, LibraError, requireInteger } from "@libra/base";
import { checkOptions, type LaunchOptions } from "./launch-options.js";
import type { NativeWorld } from "./native/binding.js";
import { native } from "./native/native.js";
import { LocalRank, type Rank } from "./rank.js";
import { runFuzzed } from "./schedule-fuzzer.js";

/** How often the clock of timeouts moves on; it stands still while this thread is busy. */
const beatMs = 25;

/**
 * Runs a program once for each of `size` ranks in this process. The programs are asynchronous
 * functions on this JavaScript thread; what they enqueue runs on threads of each rank's own.
 *
 * All stop at the first fault of any rank, and it is that fault that is thrown, at once: a program
 * that threw, a native error, a collective call that ranks disagree on, a peer that does not come.
 * When all programs have returned, what they enqueued is run to its end.
 *
 * @returns what the programs returned, by rank
 * @throws LibraError RANK_FAILED (the cause is what the rank threw), TIMEOUT, MISMATCH, ABORTED (by
 *   `signal`) or STATE (deadlock under fuzzing); `details` hold rank, stream, operation, sequence
 *   number and peer where there are any
 * @throws LibraError ARGUMENT for wrong options, NATIVE when the addon does not load
 */
export async function launchLocal<Result>(
  size: number,
  main: (rank: Rank) => Promise<Result>,
  options: LaunchOptions = {},
): Promise<Result[]> {
  requireInteger(size, "size", 1, 1024);
  if (typeof main !== "function") throw expected("a function", "main", main);
  const { timeoutMs, signal, threads, seed, instructionSet } = checkOptions(size, options);
  if (signal?.aborted) throw aborted(signal);
  const world = native().worldCreate(
    ...([size, timeoutMs, threads, seed !== undefined, seed ?? 0, instructionSet] as const),
  );
  const controller = new AbortController();
  const ranks = Array.from(
    { length: size },
    (_, rank) => new LocalRank(world, { rank, size, threads, signal: controller.signal }),
  );
  return await new Promise<Result[]>((resolve, reject) => {
    let over = false;
    const end = (settle: () => void): void => {
      if (over) return;
      over = true;
      clearInterval(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
      native().worldClose(world);
    };
    /** The world's first fault, or this one if it has none yet. */
    const fail = (error: LibraError): void =>
      end(() => {
        const fault = native().worldFault(world) ?? error;
        raise(world, error);
        controller.abort(fault);
        reject(fault);
      });
    const onAbort = (): void => fail(aborted(signal!));
    const timer = setInterval(() => {
      native().worldBeat(world);
      const fault = native().worldFault(world);
      if (fault instanceof LibraError) fail(fault);
    }, beatMs);
    timer.unref(); // what is awaited keeps the process alive, not the clock
    signal?.addEventListener("abort", onAbort);

    const run = async (rank: LocalRank): Promise<Result> => {
      try {
        const result = await main(rank);
        rank.returned = true;
        if (!over) native().worldReturned(world, rank.rank);
        return result;
      } catch (error) {
        rank.returned = true;
        fail(culprit(rank.rank, error));
        throw error;
      }
    };
    Promise.all(ranks.map(run))
      .then(
        async (results) => {
          await Promise.all(ranks.flatMap((rank) => rank.streams().map((stream) => stream.done())));
          end(() => resolve(results));
        },
        () => {}, // run() has told
      )
      .catch(fail);
    if (seed !== undefined) runFuzzed(world, ranks, () => over).catch(fail);
  });
}

function raise(world: NativeWorld, error: LibraError): void {
  native().worldFail(world, error.code, error.message, JSON.stringify(error.details ?? {}));
}

function culprit(rank: number, error: unknown): LibraError {
  const message = error instanceof Error ? error.message : String(error);
  return new LibraError("RANK_FAILED", `Rank ${rank} failed: ${message}`, {
    cause: error,
    details: { rank, reason: "threw" },
  });
}

function aborted(signal: AbortSignal): LibraError {
  const { reason } = signal;
  const why = reason instanceof Error ? reason.message : String(reason);
  return new LibraError("ABORTED", `The launch was aborted: ${why}`, { cause: reason });
}
