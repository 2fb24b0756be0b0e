import type { TilePlan } from "./tile-plan.js";

/** One complete event of Chrome's trace format; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: "X" | "M";
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, string | number>>;
}

/**
 * A plan as a Chrome trace (chrome://tracing, Perfetto): one lane per worker, one event per tile,
 * whose durations add up to the worker's load.
 *
 * @param microseconds - duration of one planning cost unit; 1 by default
 */
export function toChromeTrace(plan: TilePlan, microseconds = 1): { traceEvents: TraceEvent[] } {
  const traceEvents: TraceEvent[] = [];
  for (let worker = 0; worker < plan.workers; worker++) {
    const args = { name: `worker ${worker}` };
    traceEvents.push({ name: "thread_name", ph: "M", pid: 0, tid: worker, ts: 0, dur: 0, args });
  }
  const now = new Float64Array(plan.workers);
  for (let t = 0; t < plan.count; t++) {
    const worker = plan.worker[t]!;
    const dur = plan.cost[t]! * microseconds;
    const rows = `${plan.rowStart[t]}+${plan.rowCount[t]}`;
    const heads = `${plan.headStart[t]}+${plan.headCount[t]}`;
    traceEvents.push({
      name: `sequence ${plan.sequence[t]}, rows ${rows}, heads ${heads}`,
      ph: "X",
      pid: 0,
      tid: worker,
      ts: now[worker]!,
      dur,
      args: { chunk: plan.chunk[t]!, keys: `${plan.keyStart[t]}+${plan.keyCount[t]}` },
    });
    now[worker]! += dur;
  }
  return { traceEvents };
}
