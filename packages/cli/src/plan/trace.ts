import type { StepPlan } from "@libra/sampler";

/** One event of Chrome's trace format. */
type TraceEvent = Record<string, unknown>;

/**
 * A plan as a Chrome trace: one lane for each rank, one slice for each micro-step. A slice lasts the
 * rank's share of its pool's work, in planning cost units (drawn as microseconds): the lanes of a step
 * sum to the step's workload, and what is blank is waiting.
 */
export class PlanTrace {
  readonly #events: TraceEvent[] = [];
  readonly #cp: number;
  #clock = 0;

  constructor(cp: number) {
    this.#cp = cp;
  }

  add(plan: StepPlan): void {
    const { dp, microSteps, poolSize, sync } = plan;
    if (this.#events.length === 0) this.#nameLanes(dp, poolSize);
    const pools = dp / poolSize;
    const ends = new Float64Array(pools).fill(this.#clock);
    for (let m = 0; m < microSteps; m++) {
      if (sync === "microStep") ends.fill(Math.max(...ends));
      for (let pool = 0; pool < pools; pool++) {
        const first = m * dp + pool * poolSize;
        let load = 0;
        for (let r = 0; r < poolSize; r++) load += plan.workload[first + r]!;
        const share = load / (poolSize * this.#cp);
        for (let r = 0; r < poolSize; r++) {
          this.#slices(plan, first + r, m, pool * poolSize + r, ends[pool]!, share);
        }
        ends[pool]! += share;
      }
    }
    this.#clock = Math.max(...ends);
  }

  toString(): string {
    return JSON.stringify({
      traceEvents: this.#events,
      displayTimeUnit: "ms",
      otherData: { unit: "planning cost units of one query head, drawn as microseconds" },
    });
  }

  #slices(
    plan: StepPlan,
    slot: number,
    microStep: number,
    replica: number,
    start: number,
    share: number,
  ): void {
    for (let c = 0; c < this.#cp; c++) {
      this.#events.push({
        name: `step ${plan.step}, micro-step ${microStep}`,
        cat: "attention",
        ph: "X",
        pid: Math.floor(replica / plan.poolSize),
        tid: replica * this.#cp + c,
        ts: start,
        dur: share,
        args: {
          sequence: plan.weight[slot] === 0 ? "filler" : plan.sequence[slot],
          documents: plan.segmentOffsets[slot + 1]! - plan.segmentOffsets[slot]!,
          ownWorkload: plan.workload[slot],
        },
      });
    }
  }

  #nameLanes(dp: number, poolSize: number): void {
    const meta = (name: string, pid: number, tid: number, args: object) =>
      this.#events.push({ name, ph: "M", pid, tid, args });
    for (let replica = 0; replica < dp; replica++) {
      const pool = Math.floor(replica / poolSize);
      if (replica % poolSize === 0) meta("process_name", pool, 0, { name: `pool ${pool}` });
      for (let c = 0; c < this.#cp; c++) {
        const lane = replica * this.#cp + c;
        meta("thread_name", pool, lane, { name: `rank ${lane} (replica ${replica})` });
        meta("thread_sort_index", pool, lane, { sort_index: lane });
      }
    }
  }
}
