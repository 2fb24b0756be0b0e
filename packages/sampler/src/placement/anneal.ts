import { type Bins, cloneBins, resortBin, sumBins } from "./bins.js";

// Larger steps average out; below this, swaps one by one get stuck on what single items weigh.
const largestStep = 128;
const mostMoves = 200_000;

/** Start and end of a cooling, as shares of the mean load: wide for structure, narrow for digits. */
const coolings = [
  { hot: 0.3, cold: 2e-4 },
  { hot: 0.05, cold: 1e-4 },
] as const;

/**
 * Simulated annealing over swaps, for steps too small for improving swaps to average out; larger
 * ones come back as they are. The objective is Σ over groups of `groupSize` bins of the largest
 * load. Seeded with a constant, so that every rank finds the same.
 *
 * @param goal - objective to stop at
 * @param movesPerItem - length of each cooling
 */
export function annealBins(
  start: Bins,
  groupSize: number,
  goal: number,
  movesPerItem: number,
): Bins {
  const count = start.count * start.size;
  if (count > largestStep || start.count === 1) return start;
  const random = drawer(1);
  const moves = Math.min(mostMoves, Math.round(movesPerItem * count));
  let best = start;
  for (const { hot, cold } of coolings)
    best = cool(best, groupSize, goal, moves, hot, cold, random);
  return best;
}

function cool(
  start: Bins,
  groupSize: number,
  goal: number,
  moves: number,
  hot: number,
  cold: number,
  random: Draw,
): Bins {
  const bins = cloneBins(start);
  const { count, size, items, weights, loads } = bins;
  let mean = 0;
  for (const load of loads) mean += load / count;
  const maxima = new Float64Array(count / groupSize);
  const largestOf = (group: number) => {
    let largest = 0;
    const end = (group + 1) * groupSize;
    for (let b = group * groupSize; b < end; b++) if (loads[b]! > largest) largest = loads[b]!;
    return largest;
  };
  let sum = 0;
  for (let g = 0; g < maxima.length; g++) {
    maxima[g] = largestOf(g);
    sum += maxima[g]!;
  }
  let least = sum;
  const best = cloneBins(bins);
  const cooling = (cold / hot) ** (1 / moves);
  let temperature = hot * mean;
  for (let n = 0; n < moves && least > goal; n++, temperature *= cooling) {
    let a = random(count);
    // Every other move starts at a bin that sets its group's maximum.
    if (n % 2 === 1) a = heaviestOf(Math.floor(a / groupSize));
    let b = random(count - 1);
    if (b >= a) b++;
    const i = a * size + random(size);
    const j = b * size + random(size);
    const moved = weights[i]! - weights[j]!;
    if (moved === 0) continue;
    const groupA = Math.floor(a / groupSize);
    const groupB = Math.floor(b / groupSize);
    loads[a]! -= moved;
    loads[b]! += moved;
    const maximumA = largestOf(groupA);
    const maximumB = groupA === groupB ? maximumA : largestOf(groupB);
    const change =
      maximumA - maxima[groupA]! + (groupA === groupB ? 0 : maximumB - maxima[groupB]!);
    if (change > 0 && random(fine) >= fine * Math.exp(-change / temperature)) {
      loads[a]! += moved;
      loads[b]! -= moved;
      continue;
    }
    maxima[groupA] = maximumA;
    maxima[groupB] = maximumB;
    sum += change;
    const item = items[i]!;
    const weight = weights[i]!;
    items[i] = items[j]!;
    weights[i] = weights[j]!;
    items[j] = item;
    weights[j] = weight;
    if (sum < least - 1e-9 * mean) {
      least = sum;
      copyBins(bins, best);
    }
  }
  for (let b = 0; b < count; b++) resortBin(best, b);
  sumBins(best);
  return best;

  function heaviestOf(group: number): number {
    let bin = group * groupSize;
    while (loads[bin] !== maxima[group]) bin++;
    return bin;
  }
}

/** An integer in [0, n); n up to 2^16. */
export type Draw = (n: number) => number;

export const fine = 65536;

/** One multiplication a draw (xorshift32): a search needs speed more than quality. */
export function drawer(seed: number): Draw {
  let state = seed;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 16) * n) >>> 16;
  };
}

function copyBins(from: Bins, to: Bins): void {
  to.items.set(from.items);
  to.weights.set(from.weights);
  to.loads.set(from.loads);
}
