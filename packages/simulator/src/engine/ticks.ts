import { LibraError } from "@libra/base";

/**
 * Ticks of a second. The engine counts whole picoseconds in doubles: sums of whole numbers do not
 * depend on their order, so busy times add up exactly, up to 2^53 ticks (two and a half hours).
 */
export const ticksPerSecond = 1e12;

/**
 * Seconds as whole ticks.
 *
 * @throws LibraError `INTERNAL` for a time that is negative or not finite
 */
export function ticksOf(seconds: number): number {
  const ticks = Math.round(seconds * ticksPerSecond);
  if (ticks >= 0 && ticks <= Number.MAX_SAFE_INTEGER) return ticks;
  throw new LibraError("INTERNAL", `An operation cannot take ${seconds} seconds`);
}

/** Ticks as seconds. */
export function secondsOf(ticks: number): number {
  return ticks / ticksPerSecond;
}
