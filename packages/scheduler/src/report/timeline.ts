import { expected, requireNumber } from "@libra/base";
import {
  type AttentionTimer,
  callTime,
  exchangeTime,
  type Links,
  requireLinks,
  type SegmentShape,
  type Traffic,
} from "@libra/cost-model";
import type { TilePlan } from "../plan/tile-plan.js";
import { tileSegments } from "../plan/tile-segments.js";
import { type PlanTraffic, planTraffic, type TrafficOptions } from "./plan-traffic.js";

/** What a prediction needs beside the plan. */
export interface TimelineOptions extends TrafficOptions {
  readonly links: Links;
  /** Predicts kernels; without it attention takes `secondsPerCost` per planning cost unit. */
  readonly timer?: AttentionTimer;
  readonly secondsPerCost?: number;
}

/** One piece of work of one worker's stream; seconds from the start of the pass. */
export interface TimelineSpan {
  readonly worker: number;
  readonly stream: "dispatch" | "attention" | "return";
  readonly chunk: number;
  readonly start: number;
  readonly end: number;
}

/** The predicted run of one pass of a plan. */
export interface Timeline {
  /** From the first dispatch to the last return. */
  readonly seconds: number;
  /** Seconds in which each worker's kernels run. */
  readonly attention: Float64Array;
  /** Seconds of all exchanges, one after another. */
  readonly exchange: number;
  /** Seconds in which the slowest worker's kernels do not run: exchange that nothing hides. */
  readonly exposed: number;
  readonly spans: readonly TimelineSpan[];
}

/**
 * Predicts one pass of a plan: chunk after chunk, the dispatch of a chunk, then its kernels, then
 * its return, on three streams that work side by side. An exchange ends for all workers when its
 * busiest rank's link is done; hops follow one another. Dispatch and return share the links, so the
 * whole is never shorter than all bytes together.
 *
 * @throws LibraError `ARGUMENT` without a timer and secondsPerCost
 */
export function timeline(plan: TilePlan, options: TimelineOptions): Timeline {
  const links = requireLinks(options.links);
  const traffic = planTraffic(plan, options);
  return predict(plan, traffic, links, chunkSeconds(plan, options));
}

function predict(
  plan: TilePlan,
  traffic: PlanTraffic,
  links: Links,
  kernels: Float64Array,
): Timeline {
  const { workers, chunks } = plan;
  const spans: TimelineSpan[] = [];
  const attention = new Float64Array(workers);
  const free = new Float64Array(workers);
  let dispatched = 0;
  let returned = 0;
  let exchange = 0;
  const seconds = (hops: readonly Traffic[]) =>
    hops.reduce((sum, hop) => sum + exchangeTime(links, hop), 0);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const dispatch = seconds(traffic.dispatch[chunk]!);
    const back = seconds(traffic.return[chunk]!);
    exchange += dispatch + back;
    const start = dispatched;
    dispatched += dispatch;
    let last = returned;
    for (let worker = 0; worker < workers; worker++) {
      const begin = Math.max(free[worker]!, dispatched);
      const duration = kernels[worker * chunks + chunk]!;
      free[worker] = begin + duration;
      attention[worker]! += duration;
      last = Math.max(last, free[worker]!);
      spans.push({ worker, stream: "dispatch", chunk, start, end: dispatched });
      spans.push({ worker, stream: "attention", chunk, start: begin, end: free[worker]! });
    }
    returned = last + back;
    for (let worker = 0; worker < workers; worker++) {
      spans.push({ worker, stream: "return", chunk, start: last, end: returned });
    }
  }
  const total = Math.max(returned, exchangeTime(links, traffic.total));
  const exposed = total - attention.reduce((a, b) => Math.max(a, b), 0);
  return Object.freeze({ seconds: total, attention, exchange, exposed, spans });
}

// Kernel seconds of every (worker, chunk).
function chunkSeconds(plan: TilePlan, options: TimelineOptions): Float64Array {
  const { timer, pass = "forward" } = options;
  const seconds = new Float64Array(plan.workers * plan.chunks);
  if (timer === undefined) {
    if (options.secondsPerCost === undefined) {
      throw expected("a timer or secondsPerCost", "options", undefined);
    }
    const unit = requireNumber(options.secondsPerCost, "secondsPerCost", 0);
    for (let t = 0; t < plan.count; t++) {
      seconds[plan.worker[t]! * plan.chunks + plan.chunk[t]!]! += plan.cost[t]! * unit;
    }
    return seconds;
  }
  for (let t = 0; t < plan.count; ) {
    const worker = plan.worker[t]!;
    const chunk = plan.chunk[t]!;
    const shapes: SegmentShape[] = [];
    for (; t < plan.count && plan.worker[t] === worker && plan.chunk[t] === chunk; t++) {
      for (const { headCount, rowCount, keyCount, causal } of tileSegments(plan, t)) {
        shapes.push({ heads: headCount, rows: rowCount, keys: keyCount, causal });
      }
    }
    seconds[worker * plan.chunks + chunk] = callTime(timer, pass, shapes);
  }
  return seconds;
}
