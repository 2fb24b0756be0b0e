import type { TilePlan } from "@libra/scheduler";

/**
 * Whether tiles of several workers use the same row of a KV head, so that its dK and dV are a sum of
 * several partials. The same on every rank: it looks at the whole plan.
 */
export function sharesKeys(plan: TilePlan): boolean {
  const { queryHeads, kvHeads } = plan.heads;
  const group = queryHeads / kvHeads;
  const uses: { tile: number; head: number }[] = [];
  for (let tile = 0; tile < plan.count; tile += 1) {
    if (plan.keyCount[tile] === 0) continue;
    const first = plan.headStart[tile]!;
    const last = Math.floor((first + plan.headCount[tile]! - 1) / group);
    const base = plan.sequence[tile]! * kvHeads;
    for (let head = Math.floor(first / group); head <= last; head += 1) {
      uses.push({ tile, head: base + head });
    }
  }
  uses.sort((a, b) => a.head - b.head || plan.keyStart[a.tile]! - plan.keyStart[b.tile]!);
  // Ranges that overlap so far: all of one worker, or the search has ended.
  let open = { head: -1, end: 0, worker: -1 };
  for (const { tile, head } of uses) {
    const [start, worker] = [plan.keyStart[tile]!, plan.worker[tile]!];
    const end = start + plan.keyCount[tile]!;
    const overlaps = head === open.head && start < open.end;
    if (overlaps && worker !== open.worker) return true;
    open = { head, worker, end: overlaps ? Math.max(end, open.end) : end };
  }
  return false;
}
