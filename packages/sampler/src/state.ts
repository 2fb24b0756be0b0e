import { expected, LibraError, requireInteger, xxh64 } from "@libra/base";
import type { ResolvedOptions } from "./options.js";

/** Version of the state's layout. */
export const stateVersion = 1;

/**
 * What must be equal for a position to mean the same documents. The degrees of parallelism (dp, cp,
 * poolSize, microSteps) and the placement are not part of it: they may change between runs.
 */
export interface Fingerprint {
  /** XXH64 of the lengths. */
  readonly lengths: string;
  readonly documents: number;
  readonly window: number;
  readonly packing: string;
  readonly shuffle: string;
  readonly seed: number;
}

/** Where a run stands: plain JSON of constant size, the same on every rank. */
export interface SamplerState {
  readonly version: number;
  readonly fingerprint: Fingerprint;
  readonly seed: number;
  readonly epoch: number;
  /** Steps taken in this epoch. */
  readonly step: number;
  /** Packed sequences consumed in this epoch: where the next step begins, whatever dp is then. */
  readonly cursor: number;
  /** Packed sequences and tokens since the run began; fillers count for nothing. */
  readonly consumedSamples: number;
  readonly consumedTokens: number;
  /** What a strategy that changes the step keeps between steps. */
  readonly strategy?: unknown;
}

/** @returns what identifies the corpus and its order; costs one pass over the lengths */
export function fingerprintOf(options: ResolvedOptions): Fingerprint {
  const { lengths, packing, shuffle, order, seed, placement } = options;
  const { window, alignment, overlong, lookAhead } = packing;
  const parts: (string | number)[] = [packing.packing, overlong, `align ${alignment}`];
  if (packing.packing === "bestFit") parts.push(`look-ahead ${lookAhead}`);
  if (placement.changesStep) parts.push(placement.name);
  return Object.freeze({
    lengths: xxh64([lengths]),
    documents: lengths.length,
    window,
    packing: parts.join(", "),
    shuffle: shuffle ? order : "off",
    seed,
  });
}

/**
 * Checks a state that came from a file.
 *
 * @throws LibraError STATE naming every part that differs, or a damaged counter
 */
export function requireState(state: SamplerState, own: Fingerprint): SamplerState {
  if (typeof state !== "object" || state === null) {
    throw expected("a sampler state", "state", state);
  }
  if (state.version !== stateVersion) {
    throw new LibraError(
      "STATE",
      `Expected version ${stateVersion} of the sampler state but received ${String(state.version)}`,
    );
  }
  const differing = differences(state.fingerprint, own);
  if (differing.length > 0) {
    throw new LibraError(
      "STATE",
      `The state belongs to another corpus or configuration: ${differing.join("; ")}`,
      { details: { differing } },
    );
  }
  for (const name of ["epoch", "step", "cursor", "consumedSamples", "consumedTokens"] as const) {
    try {
      requireInteger(state[name], name, 0);
    } catch (cause) {
      throw new LibraError("STATE", `Damaged sampler state: ${(cause as Error).message}`, {
        cause,
      });
    }
  }
  return state;
}

function differences(theirs: Fingerprint | undefined, own: Fingerprint): string[] {
  const result: string[] = [];
  for (const name of Object.keys(own) as (keyof Fingerprint)[]) {
    const before = theirs?.[name];
    if (before !== own[name]) {
      result.push(`${name} is ${String(own[name])} but was ${String(before)}`);
    }
  }
  return result;
}
