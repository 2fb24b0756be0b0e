import { type AttentionTimer, causalMask, fullMask, type Pass } from "@libra/cost-model";
import { type TilePlan, tileSegments } from "@libra/scheduler";

/**
 * Seconds of every worker's attention kernels in one layer, as the scheduler's `timeline` predicts
 * them (a test holds the two together) but without the plan's traffic: one call per worker and chunk
 * over all segments of the chunk. The segments of a KV head repeat for the other KV heads of a tile,
 * so they are timed once.
 *
 * @returns `[chunk · workers + worker]`
 */
export function kernelTimes(
  plan: TilePlan,
  timer: AttentionTimer,
  passes: readonly Pass[],
): Float64Array[] {
  const size = plan.chunks * plan.workers;
  const times = passes.map(() => new Float64Array(size));
  for (let tile = 0; tile < plan.count; tile++) {
    const at = plan.chunk[tile]! * plan.workers + plan.worker[tile]!;
    const heads = plan.headCount[tile]!;
    const segments = tileSegments(plan, tile);
    const kvHead = segments[0]?.kvHead;
    for (const { kvHead: other, rowCount, keyCount, causal } of segments) {
      if (other !== kvHead) break;
      const mask = causal ? causalMask : fullMask;
      passes.forEach((pass, i) => {
        times[i]![at]! += heads * timer.segment(pass, mask, rowCount, keyCount);
      });
    }
  }
  passes.forEach((pass, i) => {
    const launch = timer.launch(pass);
    const seconds = times[i]!;
    for (let at = 0; at < size; at++) if (seconds[at]! > 0) seconds[at]! += launch;
  });
  return times;
}
