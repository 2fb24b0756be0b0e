import { transferTime } from "@libra/cost-model";
import { linkClass, syncOf } from "@libra/topology";
import { ticksOf } from "../engine/ticks.js";
import { Account, kinds } from "../layer/account.js";
import { networkBandwidth } from "../machine/collectives.js";
import type { Scenario } from "../scenario.js";
import { type MemoryReport, rankMemory } from "./memory.js";
import { type PoolPass, PoolSimulator } from "./pool-pass.js";
import { exposedGather, reductionEnd, updateTicks } from "./reduction.js";
import { type Meeting, type StageSpan, scheduleStages } from "./step-graph.js";
import type { PoolStep, StepWork } from "./step-work.js";

/** Ticks of a step by what they go to, as means over all places; they add up to the step. */
export interface Breakdown {
  readonly attention: number;
  readonly linear: number;
  /** Waiting for the slowest worker of the own pool. */
  readonly workers: number;
  /** Exchange and collectives inside a pool that nothing hides. */
  readonly exchange: number;
  /** Waiting for other pools, for the pipeline, and for the micro-step's slowest pool. */
  readonly pools: number;
  /** Reduction and gathering that nothing hides, and the optimizer. */
  readonly update: number;
}

/** One simulated optimizer step. A place is a position of a stage: `stage · positions + position`. */
export interface StepResult {
  readonly ticks: number;
  readonly tokens: number;
  readonly pairs: number;
  readonly breakdown: Breakdown;
  /** Ticks of every place by kind of operation. */
  readonly account: Account;
  /** The same of forward passes alone; the rest is backward, with what it recomputes, and the update. */
  readonly forwardAccount: Account;
  readonly memory: MemoryReport;
  readonly spans: readonly StageSpan[];
  /** Positions of each pool pass, and the position that its pool waits for. */
  readonly pools: readonly { positions: readonly number[]; microStep: number; slowest: number }[];
  /** Tick at which the last backward ends. */
  readonly backwardEnd: number;
  /** Largest ÷ mean attention work over all workers, micro-step by micro-step, the worst. */
  readonly workerSkew: number;
  /** Share of attention work that runs outside its home group. */
  readonly moved: number;
  readonly mostPeers: number;
  readonly meanPeers: number;
}

/** Simulates one step: every pool's layers, then the stages, then the update. */
export function simulateStep(scenario: Scenario, step: StepWork): StepResult {
  const simulator = new PoolSimulator(scenario);
  const passes: PoolPass[] = [];
  const measures = new Measures();
  for (let microStep = 0; microStep < step.microSteps; microStep++) {
    for (const pool of step.pools(microStep)) {
      const pass = simulator.run(pool, microStep, step);
      measures.add(pass, pool);
      passes.push(pass);
    }
    measures.endMicroStep();
  }
  const schedule = scheduleStages(
    scenario,
    passes,
    step.microSteps,
    meetingOf(scenario, step, passes),
  );
  const update = updateTicks(scenario);
  const firstForward = Math.min(...passes.map((pass) => pass.forward[0]!));
  let reduced = schedule.ticks;
  for (const spans of schedule.lastSpans) {
    reduced = Math.max(reduced, reductionEnd(scenario, passes, spans, update.reduce));
  }
  const ticks = reduced + update.optimizer + exposedGather(scenario, update.gather, firstForward);
  const account = totalAccount(scenario, passes, "accounts");
  for (let place = 0; place < account.places; place++) {
    account.add("reduction", place, update.reduce + update.gather);
    account.add("optimizer", place, update.optimizer);
  }
  return {
    ticks,
    tokens: step.tokens,
    pairs: step.pairs,
    breakdown: breakdownOf(scenario, passes, schedule.ticks, ticks),
    account,
    forwardAccount: totalAccount(scenario, passes, "forwardAccounts"),
    memory: rankMemory(scenario, measures.held),
    spans: schedule.spans,
    pools: passes.map(({ positions, microStep, slowest }) => ({ positions, microStep, slowest })),
    backwardEnd: schedule.ticks,
    ...measures.report(),
  };
}

/** Collects what is reported over all pools. */
class Measures {
  readonly held = { tokens: 0, remoteBytes: 0 };
  private workerSkew = 1;
  private moved = 0;
  private total = 0;
  private mostPeers = 0;
  private peers = 0;
  private workers = 0;
  private largest = 0;
  private sum = 0;
  private count = 0;

  endMicroStep(): void {
    if (this.sum > 0) {
      this.workerSkew = Math.max(this.workerSkew, (this.largest * this.count) / this.sum);
    }
    this.largest = 0;
    this.sum = 0;
    this.count = 0;
  }

  add({ work }: PoolPass, { plan, tokensHeld }: PoolStep): void {
    this.held.remoteBytes = Math.max(this.held.remoteBytes, work.remoteBytes);
    const owned = work.tokens.reduce((most, count) => Math.max(most, count), 0);
    this.held.tokens = Math.max(this.held.tokens, tokensHeld ?? owned);
    for (let w = 0; w < work.workers; w++) {
      this.largest = Math.max(this.largest, plan.loads[w]!);
    }
    this.sum += plan.total;
    this.count += work.workers;
    this.moved += plan.moved * plan.total;
    this.total += plan.total;
    this.mostPeers = Math.max(this.mostPeers, work.mostPeers);
    this.peers += work.meanPeers * work.workers;
    this.workers += work.workers;
  }

  report() {
    return {
      workerSkew: this.workerSkew,
      moved: this.total === 0 ? 0 : this.moved / this.total,
      mostPeers: this.mostPeers,
      meanPeers: this.peers / this.workers,
    };
  }
}

// Passes meet where a collective is wider than a pool: parameter gathers, or experts.
function meetingOf(scenario: Scenario, step: StepWork, passes: readonly PoolPass[]): Meeting {
  const { positions, expertParallel, sharding, layout, cluster, model, elementBytes } = scenario;
  const poolRanks = Math.min(...passes.map((pass) => pass.positions.length));
  const wider =
    syncOf({ sharding, poolRanks, expertGroup: expertParallel, shardGroup: positions }) ===
    "microStep";
  const apart = positions * layout.tp;
  const far = linkClass(cluster, 0, apart) > 1;
  const { latency, bandwidth } = cluster.links[far ? 3 : 1];
  const link = { latency, bandwidth: far ? networkBandwidth(cluster) : bandwidth };
  return {
    size:
      wider && sharding !== "zero3" && !step.meets
        ? expertParallel
        : wider || step.meets
          ? positions
          : 0,
    after: wider ? "pass" : "backward",
    sendTicks: ({ work }) => {
      const tokens = work.tokens.reduce((most, count) => Math.max(most, count), 0);
      return ticksOf(transferTime(link, (tokens * model.hidden * elementBytes) / layout.tp));
    },
  };
}

function totalAccount(
  scenario: Scenario,
  passes: readonly PoolPass[],
  which: "accounts" | "forwardAccounts",
): Account {
  const { positions, layout } = scenario;
  const account = new Account(positions * layout.pp);
  for (const pass of passes) {
    pass[which].forEach((stageAccount, stage) => {
      const { workers } = pass.work;
      for (let k = 0; k < kinds.length; k++) {
        for (let w = 0; w < workers; w++) {
          const place = stage * positions + pass.positions[w]!;
          account.add(kinds[k]!, place, stageAccount.ticks[k * workers + w]!);
        }
      }
    });
  }
  return account;
}

function breakdownOf(
  scenario: Scenario,
  passes: readonly PoolPass[],
  backwardEnd: number,
  ticks: number,
): Breakdown {
  const places = scenario.positions * scenario.layout.pp;
  const sums = { attention: 0, linear: 0, workers: 0, exchange: 0, pools: 0 };
  let inPools = 0;
  for (const pass of passes) {
    const { workers } = pass.work;
    let spans = 0;
    for (let i = 0; i < pass.forward.length; i++) spans += pass.forward[i]! + pass.backward[i]!;
    for (const account of pass.accounts) {
      for (let w = 0; w < workers; w++) {
        sums.attention += account.get("attention", w);
        sums.linear += account.get("linear", w);
      }
    }
    sums.workers += workers * pass.largestComputing - pass.sumComputing;
    sums.exchange += workers * (spans - pass.largestComputing);
    inPools += workers * spans;
  }
  sums.pools = places * backwardEnd - inPools;
  return {
    attention: sums.attention / places,
    linear: sums.linear / places,
    workers: sums.workers / places,
    exchange: sums.exchange / places,
    pools: sums.pools / places,
    update: ticks - backwardEnd,
  };
}
