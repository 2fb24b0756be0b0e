import { LibraError, requireInteger } from "@libra/base";
import { descending } from "./sort.js";

/** Options of {@link partition}. */
export interface PartitionOptions {
  /** `even` (default): numbers of items differ by at most 1. `free`: any numbers, also none. */
  readonly counts?: "even" | "free";
  /** Tokens of each item, for `cap`; default: the weights themselves. */
  readonly tokens?: ArrayLike<number>;
  /** Most tokens of one bin: a hard limit. Default: none. */
  readonly cap?: number;
}

/** Items by bin, ascending inside each, and the bins' sums of weights. */
export interface Partition {
  readonly bins: readonly Uint32Array[];
  readonly loads: Float64Array;
}

/**
 * Spreads any number of items over bins, longest first into the lightest bin that has room: for a
 * global batch of documents, where nothing needs to divide anything.
 *
 * @param weights - work of each item, non-negative
 * @param bins - at least 1; may be more than there are items
 * @throws LibraError LENGTHS when an item is above the cap, or finds no bin under it
 */
export function partition(
  weights: ArrayLike<number>,
  bins: number,
  options: PartitionOptions = {},
): Partition {
  requireInteger(bins, "bins", 1);
  const { counts = "even", tokens = weights, cap = Number.POSITIVE_INFINITY } = options;
  const values = Float64Array.from(weights);
  const loads = new Float64Array(bins);
  const used = new Float64Array(bins);
  const members: number[][] = Array.from({ length: bins }, () => []);
  const most = Math.ceil(values.length / bins);
  // So many bins take one item more than the others.
  let larger = values.length - bins * (most - 1);
  for (const item of descending(values)) {
    const size = tokens[item]!;
    if (size > cap) throw overCap(item, size, cap);
    let best = -1;
    for (let bin = 0; bin < bins; bin++) {
      const count = members[bin]!.length;
      if (counts === "even" && count >= most - (larger > 0 ? 0 : 1)) continue;
      if (used[bin]! + size > cap) continue;
      if (best < 0 || loads[bin]! < loads[best]!) best = bin;
    }
    if (best < 0) {
      throw new LibraError(
        "LENGTHS",
        `No bin has room for item ${item} of ${size} tokens under a cap of ${cap}: ${bins} bins are too few`,
        { details: { item, size, cap, bins } },
      );
    }
    members[best]!.push(item);
    if (members[best]!.length === most) larger--;
    loads[best]! += values[item]!;
    used[best]! += size;
  }
  return { bins: members.map((list) => Uint32Array.from(list).sort()), loads };
}

function overCap(item: number, size: number, cap: number): LibraError {
  return new LibraError("LENGTHS", `Item ${item} has ${size} tokens, above the cap of ${cap}`, {
    details: { item, size, cap },
  });
}
