import { requireInteger, requireNumber } from "@libra/base";

/** How unequal devices of one kind are. */
export interface JitterOptions {
  /** The slowest device takes up to this share longer than the fastest; default 0.07. */
  readonly spread?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * How much longer each rank takes to compute than the fastest device of its kind: evenly spread over
 * `[1, 1 + spread)`, a pure function of (seed, rank) so that adding ranks changes no other.
 *
 * @param ranks - global ranks
 */
export function jitterFactors(ranks: number, options: JitterOptions = {}): Float64Array {
  const spread = requireNumber(options.spread ?? 0.07, "jitter", 0, 10);
  const seed = requireInteger(options.seed ?? 0, "seed", 0);
  return Float64Array.from({ length: ranks }, (_, rank) => 1 + spread * share(seed, rank));
}

// Two rounds of a 32-bit finaliser (MurmurHash3's) over seed and rank.
function share(seed: number, rank: number): number {
  return mixed(mixed(seed ^ 0x9e3779b9) + Math.imul(rank, 0x85ebca6b)) / 2 ** 32;
}

function mixed(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
