import type { AttentionHeads } from "@libra/cost-model";
import type { PlanDescription } from "@libra/scheduler";
import { type Spread, spread } from "../plan/spread.js";

/** One pool's plan of one micro-step. */
export interface PoolPlan {
  readonly step: number;
  readonly microStep: number;
  readonly pool: number;
  /** Equal on every rank that plans the same. */
  readonly hash: string;
  readonly tiles: number;
  readonly tolerance: number;
  readonly workerSkew: number;
  readonly bound: number;
  /** Share of the work that runs outside its home group, and the least that perfect balance needs. */
  readonly moved: number;
  readonly leastMoved: number;
  /** Predicted, of one forward pass of one layer; `exposed`: what attention does not hide. */
  readonly seconds: number;
  readonly exposed: number;
}

/** A pool's table of workers. */
export interface ExplainedPool {
  readonly step: number;
  readonly microStep: number;
  readonly pool: number;
  readonly plan: PlanDescription;
}

/** What `libra plan --tiles` reports; also a part of the JSON of --json. */
export interface TileSummary {
  readonly planner: string;
  readonly heads: AttentionHeads;
  readonly hops: number;
  readonly cluster: string;
  readonly ranksPerNode: number;
  readonly skew: {
    /** Busiest ÷ mean worker of a pool. */
    readonly worker: Spread;
    readonly bound: Spread;
    /** Busiest ÷ mean worker of all pools of a micro-step. */
    readonly world: Spread;
  };
  readonly moved: Spread;
  readonly leastMoved: Spread;
  readonly seconds: Spread;
  readonly exposed: Spread;
  readonly explained: readonly ExplainedPool[];
  readonly plans: readonly PoolPlan[];
}

/** Collects pools while steps stream by. */
export class TileCollector {
  readonly plans: PoolPlan[] = [];
  readonly #world: number[] = [];
  #place = "";
  #busiest = 0;
  #total = 0;
  #workers = 0;

  /** @param loads - planning cost of each worker */
  add(plan: PoolPlan, loads: Float64Array): void {
    const place = `${plan.step} ${plan.microStep}`;
    if (place !== this.#place) this.#endMicroStep();
    this.#place = place;
    this.plans.push(plan);
    this.#workers += loads.length;
    for (const load of loads) {
      this.#total += load;
      if (load > this.#busiest) this.#busiest = load;
    }
  }

  figures(): Pick<TileSummary, "skew" | "moved" | "leastMoved" | "seconds" | "exposed" | "plans"> {
    this.#endMicroStep();
    const of = (name: "workerSkew" | "bound" | "moved" | "leastMoved" | "seconds" | "exposed") =>
      spread(this.plans.map((plan) => plan[name]));
    return {
      skew: { worker: of("workerSkew"), bound: of("bound"), world: spread(this.#world) },
      moved: of("moved"),
      leastMoved: of("leastMoved"),
      seconds: of("seconds"),
      exposed: of("exposed"),
      plans: this.plans,
    };
  }

  #endMicroStep(): void {
    if (this.#workers === 0) return;
    this.#world.push(this.#total === 0 ? 1 : (this.#busiest * this.#workers) / this.#total);
    this.#busiest = 0;
    this.#total = 0;
    this.#workers = 0;
  }
}
