import type { Bins } from "./bins.js";
import { descending } from "./sort.js";
import type { Meter, Swap } from "./swap.js";

// Above this size single swaps are already finer than any target asks for.
const largestSize = 48;

/** The best exchange of two items of the heaviest bin for two of a lighter one. */
export function swapPairs(
  bins: Bins,
  ranked: Uint32Array,
  target: number,
  meter: Meter,
): Swap | undefined {
  const { count, size, loads } = bins;
  if (size < 3 || size > largestSize) return undefined;
  const heavy = ranked[count - 1]!;
  const load = loads[heavy]!;
  const pairs = (size * (size - 1)) / 2;
  const given = pairSums(bins, heavy);
  let best: Swap | undefined;
  let larger = load;
  for (let r = 0; r < count - 1 && meter.left > 0; r++) {
    const light = ranked[r]!;
    const gap = load - loads[light]!;
    const half = gap / 2;
    if (gap <= 0 || load - half >= larger) break;
    meter.left -= 16 * pairs;
    const taken = pairSums(bins, light);
    for (let i = 0, j = 0; i < pairs; i++) {
      const sum = given.sums[i]!;
      while (j < pairs && sum - taken.sums[j]! < half) j++;
      for (let c = j > 0 ? j - 1 : 0; c <= j && c < pairs; c++) {
        const moved = sum - taken.sums[c]!;
        if (moved <= 0) continue;
        const after = moved < half ? load - moved : load - gap + moved;
        if (after < larger) {
          larger = after;
          best = { partner: light, give: given.at(i), take: taken.at(c), moved, larger };
        }
      }
    }
    if (larger <= target) break;
  }
  return best;
}

function pairSums(bins: Bins, bin: number) {
  const { size, weights } = bins;
  const begin = bin * size;
  const plain = new Float64Array((size * (size - 1)) / 2);
  const positions = new Uint16Array(plain.length);
  let n = 0;
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      plain[n] = weights[begin + i]! + weights[begin + j]!;
      positions[n++] = i * size + j;
    }
  }
  const order = descending(plain);
  const sums = new Float64Array(n);
  for (let i = 0; i < n; i++) sums[i] = plain[order[i]!]!;
  const at = (i: number) => {
    const position = positions[order[i]!]!;
    return [Math.floor(position / size), position % size];
  };
  return { sums, at };
}
