import { availableParallelism } from "node:os";
import { expected, LibraError, requireInteger, requireNumber } from "@libra/base";

/** Options of `launchLocal`. */
export interface LaunchOptions {
  /** How long a rank may wait for its peers in one call; default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Ends the launch with ABORTED. */
  readonly signal?: AbortSignal | undefined;
  /** Compute threads of each rank; default max(1, floor(cores / ranks)). */
  readonly threads?: number | undefined;
  /**
   * Runs all operations on this thread, in an order that the seed picks among those the events
   * allow, with NaN in memory that nobody has written: a missing wait gives wrong values for some
   * seed instead of once in a while.
   */
  readonly fuzz?: { readonly seed: number } | undefined;
  /** Of the kernels; default the widest of this machine, or LIBRA_ISA. */
  readonly instructionSet?: "base" | "avx2" | "avx512" | "arm64" | undefined;
  /** `auto` is the CPU. */
  readonly device?: "auto" | "cpu" | "cuda" | undefined;
}

export interface CheckedOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly threads: number;
  readonly seed: number | undefined;
  readonly instructionSet: string;
}

/** Checks the options of a launch of `size` ranks and fills in the defaults. */
export function checkOptions(size: number, options: LaunchOptions): CheckedOptions {
  const { timeoutMs = 30_000, signal, fuzz, instructionSet = "", device = "auto" } = options;
  if (device === "cuda") {
    throw new LibraError(
      "UNSUPPORTED",
      "The device cuda is not available: this build has no CUDA part (it would load libcuda.so.1 " +
        "and libnccl.so.2); use cpu",
      { details: { missing: ["libcuda.so.1", "libnccl.so.2"] } },
    );
  }
  if (device !== "auto" && device !== "cpu") {
    throw expected("one of auto, cpu, cuda", "device", device);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw expected("an AbortSignal", "signal", signal);
  }
  const defaultThreads = Math.max(1, Math.floor(availableParallelism() / size));
  return {
    timeoutMs: requireNumber(timeoutMs, "timeoutMs", 1),
    signal,
    threads: requireInteger(options.threads ?? defaultThreads, "threads", 1, 1024),
    seed: fuzz === undefined ? undefined : requireInteger(fuzz.seed, "fuzz.seed", 0),
    instructionSet,
  };
}
