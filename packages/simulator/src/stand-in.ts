import { requireInteger, requireNumber } from "@libra/base";

/** A long-tailed corpus made up of lognormal lengths. */
export interface StandInOptions {
  readonly documents: number;
  /** Default 644. */
  readonly median?: number;
  /** Standard deviation of the logarithm; default 2.02. */
  readonly sigma?: number;
  /** Longer documents are cut to this; default 2^20. */
  readonly longest?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * Document lengths that stand in for a pre-training corpus with a long tail: lognormal, by default
 * with the median and spread of the corpus that the published measurements used (median 644, one
 * document in a hundred above about 71,000 tokens).
 */
export function standInLengths(options: StandInOptions): Uint32Array {
  const { documents, median = 644, sigma = 2.02, longest = 2 ** 20, seed = 0 } = options;
  requireInteger(documents, "documents", 1, 2 ** 30);
  requireNumber(median, "median", 1);
  requireNumber(sigma, "sigma", 0, 10);
  requireInteger(longest, "longest", 1, 2 ** 32 - 1);
  const uniform = uniforms(requireInteger(seed, "seed", 0));
  return Uint32Array.from({ length: documents }, () => {
    // Box and Muller's method; the first number is never 0.
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const normal = radius * Math.cos(2 * Math.PI * uniform());
    return Math.min(longest, Math.max(1, Math.round(median * Math.exp(sigma * normal))));
  });
}

// Numbers in (0, 1]: a 32-bit counter through MurmurHash3's finaliser, two words a number.
function uniforms(seed: number): () => number {
  let counter = Math.imul(seed, 0x9e3779b1) | 0;
  const word = () => {
    counter = (counter + 0x9e3779b9) | 0;
    let x = counter;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
  return () => (word() * 2 ** 21 + (word() >>> 11) + 1) / 2 ** 53;
}
