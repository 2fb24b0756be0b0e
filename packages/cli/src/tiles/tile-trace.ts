import { toChromeTrace } from "@libra/scheduler";
import type { Sync } from "@libra/topology";
import type { PlannedPool } from "./tile-planning.js";

/**
 * Tile plans as a Chrome trace in predicted time: a process for each rank, a lane for each of its
 * streams (dispatch, attention, return). Pools start a micro-step when their last one ended, or, where
 * they meet in every micro-step, when the slowest ended.
 */
export class TileTrace {
  readonly #events: object[] = [];
  readonly #ends: Float64Array;
  readonly #sync: Sync;
  readonly #named = new Set<number>();
  #micro = "";
  #step = -1;

  constructor(pools: number, sync: Sync) {
    this.#ends = new Float64Array(pools);
    this.#sync = sync;
  }

  /** Pools come in the order of step, micro-step and pool. */
  add({ report, pool, plan, timeline }: PlannedPool): void {
    const { step, microStep } = report;
    const micro = `${step} ${microStep}`;
    const meet = step !== this.#step || (this.#sync !== "step" && micro !== this.#micro);
    if (meet) this.#ends.fill(this.#ends.reduce((a, b) => Math.max(a, b), 0));
    this.#micro = micro;
    this.#step = step;
    const start = this.#ends[pool.index]!;
    for (const event of toChromeTrace(plan, timeline).traceEvents) {
      const rank = pool.ranks[event.pid]!;
      if (event.ph === "M") {
        if (this.#named.has(rank * 4 + event.tid) && event.name === "thread_name") continue;
        if (this.#named.has(rank * 4 + 3) && event.name === "process_name") continue;
        this.#named.add(rank * 4 + (event.name === "process_name" ? 3 : event.tid));
        const name =
          event.name === "process_name"
            ? `rank ${rank} (pool ${pool.index}, worker ${event.pid})`
            : event.args.name;
        this.#events.push({ ...event, pid: rank, args: { name } });
        continue;
      }
      const args = { ...event.args, step, microStep };
      this.#events.push({ ...event, pid: rank, ts: event.ts + start * 1e6, args });
    }
    this.#ends[pool.index] = start + timeline.seconds;
  }

  toString(): string {
    return JSON.stringify({
      traceEvents: this.#events,
      displayTimeUnit: "ms",
      otherData: { unit: "predicted microseconds of one forward pass of one layer" },
    });
  }
}
