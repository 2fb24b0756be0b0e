import { type Bins, resortBin } from "./bins.js";
import type { Meter, Swap } from "./swap.js";
import { swapPairs } from "./swap-pairs.js";

/**
 * Improving swaps from the heaviest bin until no bin is above `target`, no swap helps, or the
 * budget is used up. Every swap lowers the heaviest bin and leaves its partner below the old
 * maximum, so the largest load never rises.
 *
 * @param budget - elementary comparisons
 * @returns the budget that is left
 */
export function refineBins(bins: Bins, target: number, budget: number): number {
  const { count, loads } = bins;
  if (count < 2) return budget;
  const ranked = rankByLoad(loads);
  const meter = { left: budget };
  while (meter.left > 0) {
    const heavy = ranked[count - 1]!;
    if (loads[heavy]! <= target) break;
    const swap = swapSingles(bins, ranked, target, meter) ?? swapPairs(bins, ranked, target, meter);
    if (!swap) break;
    apply(bins, heavy, swap);
    rerank(ranked, loads, heavy, swap.partner);
    meter.left -= count >> 3;
  }
  return meter.left;
}

function swapSingles(
  bins: Bins,
  ranked: Uint32Array,
  target: number,
  meter: Meter,
): Swap | undefined {
  const { count, size, loads, weights } = bins;
  const heavy = ranked[count - 1]!;
  const load = loads[heavy]!;
  const heavyAt = heavy * size;
  let larger = load;
  let partner = -1;
  let give = 0;
  let take = 0;
  let moved = 0;
  for (let r = 0; r < count - 1 && meter.left > 0; r++) {
    const light = ranked[r]!;
    const gap = load - loads[light]!;
    const half = gap / 2;
    if (gap <= 0 || load - half >= larger) break;
    const lightAt = light * size;
    meter.left -= 2 * size;
    // As the given item gets lighter, the taken one nearest to (given − half) gets lighter too.
    for (let i = 0, j = 0; i < size; i++) {
      const given = weights[heavyAt + i]!;
      while (j < size && given - weights[lightAt + j]! < half) j++;
      for (let c = j > 0 ? j - 1 : 0; c <= j && c < size; c++) {
        const difference = given - weights[lightAt + c]!;
        if (difference <= 0) continue;
        const after = difference < half ? load - difference : load - gap + difference;
        if (after < larger) {
          larger = after;
          partner = light;
          give = i;
          take = c;
          moved = difference;
        }
      }
    }
    if (larger <= target) break;
  }
  if (partner < 0) return undefined;
  return { partner, give: [give], take: [take], moved, larger };
}

function apply(bins: Bins, heavy: number, swap: Swap): void {
  const { size, items, weights, loads } = bins;
  for (let n = 0; n < swap.give.length; n++) {
    const a = heavy * size + swap.give[n]!;
    const b = swap.partner * size + swap.take[n]!;
    const item = items[a]!;
    const weight = weights[a]!;
    items[a] = items[b]!;
    weights[a] = weights[b]!;
    items[b] = item;
    weights[b] = weight;
  }
  loads[heavy] = loads[heavy]! - swap.moved;
  loads[swap.partner] = loads[swap.partner]! + swap.moved;
  resortBin(bins, heavy);
  resortBin(bins, swap.partner);
}

function rankByLoad(loads: Float64Array): Uint32Array {
  return Uint32Array.from(loads.keys()).sort((a, b) => loads[a]! - loads[b]! || a - b);
}

// Takes the heaviest bin (last) and its partner out of the ranking and puts them back in place.
function rerank(ranked: Uint32Array, loads: Float64Array, heavy: number, partner: number): void {
  let size = ranked.length - 1;
  const at = ranked.indexOf(partner);
  ranked.copyWithin(at, at + 1, size);
  size--;
  for (const bin of [heavy, partner]) {
    const load = loads[bin]!;
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = ranked[middle]!;
      if (loads[other]! < load || (loads[other]! === load && other < bin)) low = middle + 1;
      else high = middle;
    }
    ranked.copyWithin(low + 1, low, size);
    ranked[low] = bin;
    size++;
  }
}
