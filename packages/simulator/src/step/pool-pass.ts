import { ticksOf } from "../engine/ticks.js";
import { Account } from "../layer/account.js";
import { headSeconds, layerExtras } from "../layer/layer-extras.js";
import { type PoolWork, poolWork } from "../layer/pool-work.js";
import { type LayerRun, LayerRunner } from "../layer/run-layer.js";
import type { Scenario } from "../scenario.js";
import type { PoolStep, StepWork } from "./step-work.js";

/** One pool's passes through the model in one micro-step. */
export interface PoolPass {
  readonly microStep: number;
  readonly positions: readonly number[];
  readonly work: PoolWork;
  /** Ticks of forward and backward through each model part: `[stage · parts + part]`. */
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  /** Ticks of the layers of one part alone, without the vocabulary projection. */
  readonly layersBackward: Float64Array;
  /** Ticks of each worker over both passes of all parts of a stage, by stage. */
  readonly accounts: readonly Account[];
  /** The same of forward alone, without recomputation. */
  readonly forwardAccounts: readonly Account[];
  /** Largest ticks that one worker computes in each pass of a part, and the mean over workers. */
  readonly largestComputing: number;
  readonly sumComputing: number;
  /** Worker that is done last, in the first stage. */
  readonly slowest: number;
}

/** Simulates the layers of pools; buffers are kept from pool to pool. */
export class PoolSimulator {
  private readonly runner = new LayerRunner();

  constructor(private readonly scenario: Scenario) {}

  /** Both passes of one pool through all stages. */
  run(pool: PoolStep, microStep: number, step: Pick<StepWork, "hops" | "pingPong">): PoolPass {
    const { scenario } = this;
    const { layout, parts, positions, recompute, model } = scenario;
    const { positions: places, plan } = pool;
    const work = poolWork(scenario, plan, places, step.hops);
    const forward = new Float64Array(layout.pp * parts);
    const backward = new Float64Array(layout.pp * parts);
    const layersBackward = new Float64Array(layout.pp * parts);
    const accounts: Account[] = [];
    const forwardAccounts: Account[] = [];
    const layers = model.layers / (layout.pp * parts);
    const alike = scenario.slowness.every((factor) => factor === scenario.slowness[0]);
    let runs: readonly [LayerRun, LayerRun] | undefined;
    let largestComputing = 0;
    let sumComputing = 0;
    let slowest = 0;
    for (let stage = 0; stage < layout.pp; stage++) {
      if (runs === undefined || !alike) runs = this.layerRuns(work, stage, step.pingPong);
      const [there, back] = runs;
      if (stage === 0) slowest = latest(back.done);
      const account = new Account(work.workers);
      const forwardAccount = new Account(work.workers);
      const repeats = recompute === "full" ? 2 : 1;
      const layerForward = layers * there.ticks;
      const layerBackward = layers * back.ticks + (repeats - 1) * layerForward;
      for (let i = 0; i < account.ticks.length; i++) {
        const once = parts * layers * there.account.ticks[i]!;
        forwardAccount.ticks[i] = once;
        account.ticks[i] = repeats * once + parts * layers * back.account.ticks[i]!;
      }
      const last = stage === layout.pp - 1;
      for (let part = 0; part < parts; part++) {
        const withHead = last && part === parts - 1;
        const head = withHead
          ? this.addHead(work, stage, account, forwardAccount)
          : { forward: 0, backward: 0 };
        forward[stage * parts + part] = layerForward + head.forward;
        backward[stage * parts + part] = layerBackward + head.backward;
        layersBackward[stage * parts + part] = layerBackward;
      }
      accounts.push(account);
      forwardAccounts.push(forwardAccount);
      let most = 0;
      for (let w = 0; w < work.workers; w++) {
        const computing = account.computing(w);
        most = Math.max(most, computing);
        sumComputing += computing;
      }
      largestComputing += most;
    }
    return {
      microStep,
      positions: places,
      work,
      forward,
      backward,
      layersBackward,
      accounts,
      forwardAccounts,
      largestComputing,
      sumComputing,
      slowest: places[slowest]! % positions,
    };
  }

  private layerRuns(
    work: PoolWork,
    stage: number,
    pingPong: boolean,
  ): readonly [LayerRun, LayerRun] {
    const { scenario } = this;
    const { positions, cluster, expertParallel } = scenario;
    const slowness = Float64Array.from(
      work.positions,
      (position) => scenario.slowness[stage * positions + position]!,
    );
    const [forward, backward] = (["forward", "backward"] as const).map((pass) =>
      this.runner.run(work, pass, {
        cluster,
        slowness,
        extras: layerExtras(scenario, pass),
        expertParallel,
        pingPong,
      }),
    );
    return [forward!, backward!];
  }

  // The vocabulary projection and the loss; everyone waits for the worker that is last.
  private addHead(work: PoolWork, stage: number, account: Account, forwardAccount: Account) {
    const { scenario } = this;
    const longest = { forward: 0, backward: 0 };
    for (const pass of ["forward", "backward"] as const) {
      const seconds = headSeconds(scenario, pass);
      for (let w = 0; w < work.workers; w++) {
        const factor = scenario.slowness[stage * scenario.positions + work.positions[w]!]!;
        const ticks = ticksOf(seconds * work.tokens[w]! * factor);
        account.add("linear", w, ticks);
        if (pass === "forward") forwardAccount.add("linear", w, ticks);
        longest[pass] = Math.max(longest[pass], ticks);
      }
    }
    return longest;
  }
}

function latest(done: Float64Array): number {
  let last = 0;
  for (let w = 1; w < done.length; w++) if (done[w]! > done[last]!) last = w;
  return last;
}
