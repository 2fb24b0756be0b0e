import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { torchRandperm } from "./torch-randperm.js";

/** How documents are shuffled: by Libra's own generator, or as `torch.randperm` does. */
export type OrderName = "libra" | "torch";

/** What decides the order of an epoch's documents. */
export interface DocumentOrder {
  /** Non-negative integer; 0 is a seed like any other. */
  readonly seed: number;
  readonly shuffle: boolean;
  /**
   * `libra`: xoroshiro128+ and Fisher–Yates. `torch`: bit-equal to
   * `torch.randperm(n, generator=torch.Generator().manual_seed(seed + epoch))`.
   */
  readonly order: OrderName;
}

/**
 * The order of the documents in one epoch: a pure function of (count, seed, epoch, order), so that
 * resuming needs no saved generator.
 *
 * @returns `count` document indices, each once; 0 … count−1 when `shuffle` is false
 */
export function documentOrder(count: number, epoch: number, options: DocumentOrder): Uint32Array {
  const { seed, shuffle, order } = options;
  if (shuffle && order === "torch") return torchRandperm(count, seed + epoch);
  const documents = new Uint32Array(count);
  for (let i = 0; i < count; i++) documents[i] = i;
  if (shuffle) shuffleInPlace(documents, mixSeed(seed, epoch));
  return documents;
}

/** Fisher–Yates with 53 random bits a draw, so that the bias is below 2^-21 for any count. */
function shuffleInPlace(values: Uint32Array, seed: number): void {
  const random = uniform(seed);
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const held = values[i]!;
    values[i] = values[j]!;
    values[j] = held;
  }
}

/** A generator of doubles in [0, 1) with 53 random bits, equal on every machine. */
export function uniform(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => {
    const high = generator.next() >>> 5;
    const low = generator.next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  };
}

/**
 * One 32-bit seed out of (seed, epoch). For a fixed seed it is a bijection of the epoch's low 32
 * bits (the finalizer of MurmurHash3), so that no two epochs share an order by collision.
 */
export function mixSeed(seed: number, epoch: number): number {
  const high = Math.floor(seed / 4294967296);
  return finalize(finalize(finalize(seed | 0) ^ high) + Math.imul(epoch | 0, 0x9e3779b1));
}

function finalize(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
