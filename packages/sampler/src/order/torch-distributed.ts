import { requireInteger } from "@libra/base";
import { torchRandperm } from "./torch-randperm.js";

/** Arguments of `torch.utils.data.DistributedSampler`, with torch's defaults. */
export interface TorchDistributedOptions {
  /** Length of the data set, at least 1. */
  readonly count: number;
  readonly replicas: number;
  readonly rank: number;
  /** Default true. */
  readonly shuffle?: boolean;
  /** Default 0. */
  readonly seed?: number;
  /** What `set_epoch` was given; default 0. */
  readonly epoch?: number;
  /** Default false: the order is repeated from its start until it divides. */
  readonly dropLast?: boolean;
}

/**
 * The indices that `torch.utils.data.DistributedSampler` yields on one rank, in order. Libra's own
 * plans never repeat a sample to fill up; this exists to compare with, and to hand over from, a
 * pipeline that already runs with torch's sampler.
 */
export function torchDistributedIndices(options: TorchDistributedOptions): Uint32Array {
  const { shuffle = true, seed = 0, epoch = 0, dropLast = false } = options;
  const count = requireInteger(options.count, "count", 1);
  const replicas = requireInteger(options.replicas, "replicas", 1);
  const rank = requireInteger(options.rank, "rank", 0, replicas - 1);
  const order = shuffle ? torchRandperm(count, seed + epoch) : undefined;
  const size = dropLast ? Math.floor(count / replicas) : Math.ceil(count / replicas);
  const indices = new Uint32Array(size);
  for (let i = 0; i < size; i++) {
    const position = (rank + i * replicas) % count;
    indices[i] = order ? order[position]! : position;
  }
  return indices;
}
