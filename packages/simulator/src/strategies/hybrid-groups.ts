/** Documents that one group of consecutive ranks works on, one after another. */
export interface HybridGroup {
  /** First rank of the group in the dp × cp plane, and its ranks: a power of two, or all. */
  first: number;
  size: number;
  readonly documents: number[];
  /** Σ length² ÷ ranks: what is balanced. */
  load: number;
}

/** What hybrid groups are made for. */
export interface HybridShape {
  /** Ranks of the dp × cp plane. */
  readonly ranks: number;
  /** Most tokens of one document on one rank. */
  readonly tokensPerRank: number;
  /** A micro-step may end when the loads differ by at most this share. */
  readonly slack: number;
}

/** Ranks that a document needs: the least power of two whose ranks hold it, at most all ranks. */
export function ranksNeeded(length: number, shape: HybridShape): number {
  let size = 1;
  while (size * shape.tokensPerRank < length && size < shape.ranks) size *= 2;
  return Math.min(size, shape.ranks);
}

/**
 * Divides documents over micro-steps of groups, by the rule of Megatron's hybrid context parallelism
 * (`hybrid_cp_schedule.py` of NVIDIA/Megatron-LM): longest first, each to the least loaded group of
 * the size that it needs, or to new ranks when these are less loaded; a micro-step ends when nothing
 * fits or, once shorter documents than the first came, when the loads are even; ranks left over join
 * the smallest groups.
 *
 * @param lengths - tokens of each document of the step
 * @returns micro-steps of groups; `documents` are indices into `lengths`
 */
export function hybridGroups(lengths: ArrayLike<number>, shape: HybridShape): HybridGroup[][] {
  let waiting = Array.from({ length: lengths.length }, (_, i) => i);
  waiting.sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const microSteps: HybridGroup[][] = [];
  while (waiting.length > 0) {
    const { groups, rest } = fillMicroStep(lengths, waiting, shape);
    microSteps.push(spread(groups, lengths, shape.ranks));
    waiting = rest;
  }
  return microSteps;
}

function fillMicroStep(lengths: ArrayLike<number>, waiting: readonly number[], shape: HybridShape) {
  const groups: HybridGroup[] = [];
  const rest: number[] = [];
  let used = 0;
  let i = 0;
  const firstSize = ranksNeeded(lengths[waiting[0]!]!, shape);
  for (; i < waiting.length; i++) {
    const document = waiting[i]!;
    const size = ranksNeeded(lengths[document]!, shape);
    const even = size < firstSize && used === shape.ranks && evenLoads(groups, shape.slack);
    if (even) break;
    let best: HybridGroup | undefined;
    for (const group of groups) {
      if (group.size === size && (best === undefined || group.load < best.load)) best = group;
    }
    if (used + size <= shape.ranks && (best === undefined || best.load > 0)) {
      best = { first: used, size, documents: [], load: 0 };
      groups.push(best);
      used += size;
    }
    if (best === undefined) rest.push(document);
    else {
      best.documents.push(document);
      best.load += lengths[document]! ** 2 / size;
    }
  }
  for (; i < waiting.length; i++) rest.push(waiting[i]!);
  return { groups: trimmed(groups, lengths, rest, shape), rest };
}

function evenLoads(groups: readonly HybridGroup[], slack: number): boolean {
  const loads = groups.map((group) => group.load);
  const most = Math.max(...loads);
  return most - Math.min(...loads) <= slack * most;
}

// The latest document of the most loaded group waits when that makes loads more even; what waits
// stays in the order of lengths.
function trimmed(
  groups: HybridGroup[],
  lengths: ArrayLike<number>,
  rest: number[],
  shape: HybridShape,
): HybridGroup[] {
  const ranks = groups.reduce((sum, group) => sum + group.size, 0);
  while (ranks === shape.ranks) {
    const loads = groups.map((group) => group.load);
    const most = Math.max(...loads);
    const least = Math.min(...loads);
    if (most - least <= shape.slack * most) break;
    const heaviest = groups[loads.indexOf(most)]!;
    if (heaviest.documents.length <= 1) break;
    const document = heaviest.documents.at(-1)!;
    const without = most - lengths[document]! ** 2 / heaviest.size;
    const others = loads.filter((_, i) => groups[i] !== heaviest);
    const slackAfter =
      Math.max(without, ...others) - Math.min(without, ...others, Number.POSITIVE_INFINITY);
    if (slackAfter >= most - least) break;
    heaviest.documents.pop();
    heaviest.load = without;
    rest.push(document);
  }
  rest.sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  return groups;
}

// Ranks that got nothing: the smallest groups double while they fit; groups are then laid out anew.
function spread(groups: HybridGroup[], lengths: ArrayLike<number>, ranks: number): HybridGroup[] {
  let free = ranks - groups.reduce((sum, group) => sum + group.size, 0);
  while (free > 0) {
    let smallest: HybridGroup | undefined;
    for (const group of groups) {
      if (group.size <= free && (!smallest || group.size < smallest.size)) smallest = group;
    }
    if (smallest === undefined) break;
    free -= smallest.size;
    smallest.size *= 2;
    smallest.load =
      smallest.documents.reduce((sum, d) => sum + lengths[d]! ** 2, 0) / smallest.size;
  }
  groups.sort((a, b) => b.size - a.size || a.first - b.first);
  let first = 0;
  for (const group of groups) {
    group.first = first;
    first += group.size;
  }
  return groups;
}
