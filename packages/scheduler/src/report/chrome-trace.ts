import type { TilePlan } from "../plan/tile-plan.js";
import type { Timeline } from "./timeline.js";

/** One event of Chrome's trace format; times in microseconds. */
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
 * A plan as a Chrome trace (chrome://tracing, Perfetto). Without a timeline: one lane per worker,
 * one event per tile, one microsecond per planning cost unit, so that a lane's durations add up to
 * the worker's load. With a timeline: one lane per worker and stream, in predicted time.
 */
export function toChromeTrace(plan: TilePlan, timeline?: Timeline): { traceEvents: TraceEvent[] } {
  return { traceEvents: timeline === undefined ? tileLanes(plan) : streamLanes(plan, timeline) };
}

function tileLanes(plan: TilePlan): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (let worker = 0; worker < plan.workers; worker++) {
    events.push(nameOf("thread_name", 0, worker, `worker ${worker}`));
  }
  const now = new Float64Array(plan.workers);
  for (let t = 0; t < plan.count; t++) {
    const worker = plan.worker[t]!;
    const dur = plan.cost[t]!;
    const rows = `${plan.rowStart[t]}+${plan.rowCount[t]}`;
    const heads = `${plan.headStart[t]}+${plan.headCount[t]}`;
    events.push({
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
  return events;
}

const streams = ["dispatch", "attention", "return"] as const;

function streamLanes(plan: TilePlan, timeline: Timeline): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (let worker = 0; worker < plan.workers; worker++) {
    events.push(nameOf("process_name", worker, 0, `worker ${worker}`));
    streams.forEach((stream, lane) => {
      events.push(nameOf("thread_name", worker, lane, stream));
    });
  }
  for (const { worker, stream, chunk, start, end } of timeline.spans) {
    if (end <= start) continue;
    events.push({
      name: `${stream} ${chunk}`,
      ph: "X",
      pid: worker,
      tid: streams.indexOf(stream),
      ts: start * 1e6,
      dur: (end - start) * 1e6,
      args: { chunk },
    });
  }
  return events;
}

function nameOf(what: string, pid: number, tid: number, name: string): TraceEvent {
  return { name: what, ph: "M", pid, tid, ts: 0, dur: 0, args: { name } };
}
