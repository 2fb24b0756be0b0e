import { LibraError, requireInteger } from "@libra/base";
import { mersenne } from "pure-rand/generator/mersenne";

// From this size on, torch draws 64 bits an element; no list of lengths in memory is that long.
const largest = Math.floor(0xffffffff / 20);

/**
 * The permutation that `torch.randperm(count, generator=g)` gives after `g.manual_seed(seed)` on
 * CPU, bit for bit. Source: ATen/native/TensorFactories.cpp, `randperm_cpu`: mt19937 seeded with
 * the low 32 bits of the seed, then element i is swapped with i + (draw mod (n − i)).
 *
 * @param count - 0 … 214,748,363; above it torch uses another algorithm: code UNSUPPORTED
 * @param seed - non-negative integer up to 2^53 − 1
 */
export function torchRandperm(count: number, seed: number): Uint32Array {
  requireInteger(count, "count", 0);
  requireInteger(seed, "seed", 0);
  if (count >= largest) {
    throw new LibraError(
      "UNSUPPORTED",
      `The torch order is bit-exact below ${largest} documents, but there are ${count}; use order "libra"`,
    );
  }
  const generator = mersenne(seed | 0);
  const values = new Uint32Array(count);
  for (let i = 0; i < count; i++) values[i] = i;
  for (let i = 0; i < count - 1; i++) {
    const j = i + ((generator.next() >>> 0) % (count - i));
    const held = values[i]!;
    values[i] = values[j]!;
    values[j] = held;
  }
  return values;
}
