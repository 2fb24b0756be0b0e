import type { Pass } from "./flops.js";
import { causalMask, fullMask, type Mask } from "./mask.js";

/** Query heads of ONE KV head, rows and keys that a kernel call works on together. */
export interface SegmentShape {
  /** Query heads. */
  readonly heads: number;
  /** Query rows. */
  readonly rows: number;
  /** Key rows. */
  readonly keys: number;
  /** True: aligned bottom-right; false: the full rectangle. */
  readonly causal: boolean;
}

/** Predicts the time of attention kernels on one device. */
export interface AttentionTimer {
  readonly name: string;
  /** Query rows of the kernel's block; rows are rounded up to it. */
  readonly rowBlock: number;
  /** Seconds of one call that does nothing. */
  launch(pass: Pass): number;
  /** Seconds of one segment of ONE query head, without the launch. */
  segment(pass: Pass, mask: Mask, rows: number, keys: number): number;
}

/** Seconds of one kernel call over segments: one launch, then heads × time of each segment. */
export function callTime(
  timer: AttentionTimer,
  pass: Pass,
  segments: Iterable<SegmentShape>,
): number {
  let seconds = timer.launch(pass);
  for (const { heads, rows, keys, causal } of segments) {
    seconds += heads * timer.segment(pass, causal ? causalMask : fullMask, rows, keys);
  }
  return seconds;
}
