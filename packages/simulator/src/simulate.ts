import { LibraError, requireInteger } from "@libra/base";
import { attentionFlops, linearFlops, type ModelShape } from "@libra/cost-model";
import { createScenario, type ScenarioOptions } from "./create-scenario.js";
import { secondsOf } from "./engine/ticks.js";
import type { Scenario } from "./scenario.js";
import type { MemoryReport } from "./step/memory.js";
import { type Breakdown, type StepResult, simulateStep } from "./step/simulate-step.js";
import { createStrategy } from "./strategies/by-name.js";
import type { CorpusOptions } from "./strategies/planned-strategy.js";
import type { SettingsInput } from "./strategies/settings.js";
import type { Setting, StrategyName } from "./strategies/strategy.js";

/** What is simulated. */
export interface SimulateOptions extends ScenarioOptions {
  /** Tokens of each document. */
  readonly lengths: ArrayLike<number>;
  readonly strategy: StrategyName;
  /** What differs from the strategy's defaults. */
  readonly settings?: SettingsInput;
  /** Optimizer steps; default 4. */
  readonly steps?: number;
  /** Documents longer than the window; default `split`. */
  readonly overlong?: CorpusOptions["overlong"];
  /** Called after every step. */
  readonly onStep?: (done: number, steps: number) => void;
}

/** Simulated steps of one strategy. */
export interface Simulation {
  readonly strategy: StrategyName;
  readonly settings: Readonly<Record<string, Setting>>;
  readonly layout: { tp: number; cp: number; dp: number; pp: number; gpus: number };
  readonly window: number;
  readonly microSteps: number;
  readonly sharding: Scenario["sharding"];
  /** What `auto` came to. */
  readonly recompute: Scenario["recompute"];
  /** Whether documents move between steps, so that steps differ from other strategies' steps. */
  readonly changesStep: boolean;
  /** Seconds of a step: mean, and the slowest. */
  readonly seconds: number;
  readonly worstSeconds: number;
  /** Tokens of documents per second, in all and of one device. */
  readonly tokensPerSecond: number;
  readonly tokensPerGpuSecond: number;
  /** Model FLOPs (nothing recomputed) over published peak. */
  readonly utilisation: number;
  /** Seconds of the mean step. */
  readonly breakdown: Breakdown;
  /** Largest ÷ mean attention work over all workers: mean over steps of the worst micro-step. */
  readonly workerSkew: number;
  /** Largest ÷ mean attention work over pools, as the layout's sync has it; and in arrival order. */
  readonly stepSkew: number;
  readonly arrivalSkew: number;
  /** Share of attention work that runs outside its home group. */
  readonly moved: number;
  /** Ranks that a rank exchanges with: the most, and the mean. */
  readonly mostPeers: number;
  readonly meanPeers: number;
  /** The step that needs most. */
  readonly memory: MemoryReport;
  /** Documents that waited for a later step, per step; tokens above the window, per step. */
  readonly delayedDocuments: number;
  readonly extraTokens: number;
  readonly steps: readonly StepResult[];
}

/**
 * Simulates training steps of one strategy: its own placement and tile plans, on a modelled machine.
 *
 * @throws LibraError `LAYOUT`, `ARGUMENT`, `LENGTHS` for scenarios and corpora that cannot be
 */
export function simulate(options: SimulateOptions): Simulation {
  const scenario = createScenario(options);
  const count = requireInteger(options.steps ?? 4, "steps", 1);
  const corpus = corpusOf(options);
  const strategy = createStrategy(options.strategy, scenario, corpus, options.settings);
  const steps: StepResult[] = [];
  const sums = { stepSkew: 0, arrivalSkew: 0, delayedDocuments: 0, extraTokens: 0 };
  for (let i = 0; i < strategy.warmUp; i++) strategy.next();
  for (let i = 0; i < count; i++) {
    const work = strategy.next();
    steps.push(simulateStep(scenario, work));
    for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += work[key] / count;
    options.onStep?.(i + 1, count);
  }
  return summary(scenario, strategy, steps, sums);
}

/** Documents as the sampler takes them. */
function corpusOf(options: Pick<SimulateOptions, "lengths" | "overlong">): CorpusOptions {
  const { lengths } = options;
  if (lengths.length === 0) throw new LibraError("LENGTHS", "The corpus has no documents");
  const asIntegers =
    lengths instanceof Uint32Array ? lengths : (Array.from(lengths) as unknown as Uint32Array);
  return { lengths: asIntegers, overlong: options.overlong ?? "split" };
}

function summary(
  scenario: Scenario,
  strategy: Pick<Simulation, "settings" | "changesStep"> & { name: StrategyName },
  steps: readonly StepResult[],
  sums: Pick<Simulation, "stepSkew" | "arrivalSkew" | "delayedDocuments" | "extraTokens">,
): Simulation {
  const { layout, model, cluster, window, microSteps } = scenario;
  const mean = (pick: (step: StepResult) => number) =>
    steps.reduce((sum, step) => sum + pick(step), 0) / steps.length;
  const most = (pick: (step: StepResult) => number) => Math.max(...steps.map(pick));
  const seconds = secondsOf(mean((step) => step.ticks));
  const tokensPerSecond = mean((step) => step.tokens) / seconds;
  const flops = mean((step) => modelFlops(model, step.tokens, step.pairs));
  const part = (key: keyof Breakdown) => secondsOf(mean((step) => step.breakdown[key]));
  return {
    strategy: strategy.name,
    settings: strategy.settings,
    layout: { tp: layout.tp, cp: layout.cp, dp: layout.dp, pp: layout.pp, gpus: layout.world },
    window,
    microSteps,
    sharding: scenario.sharding,
    recompute: scenario.recompute,
    changesStep: strategy.changesStep,
    seconds,
    worstSeconds: secondsOf(most((step) => step.ticks)),
    tokensPerSecond,
    tokensPerGpuSecond: tokensPerSecond / layout.world,
    utilisation: flops / seconds / layout.world / cluster.peak,
    breakdown: {
      attention: part("attention"),
      linear: part("linear"),
      workers: part("workers"),
      exchange: part("exchange"),
      pools: part("pools"),
      update: part("update"),
    },
    workerSkew: mean((step) => step.workerSkew),
    moved: mean((step) => step.moved),
    mostPeers: most((step) => step.mostPeers),
    meanPeers: mean((step) => step.meanPeers),
    memory: steps.reduce((fullest, step) =>
      step.memory.total > fullest.memory.total ? step : fullest,
    ).memory,
    ...sums,
    steps,
  };
}

/** Matrix FLOPs of one step of the whole model, forward and backward. */
function modelFlops(model: ModelShape, tokens: number, pairs: number): number {
  const linear = linearFlops("forward", model, tokens) + linearFlops("backward", model, tokens);
  const perHead =
    attentionFlops("forward", model, pairs) + attentionFlops("backward", model, pairs);
  return linear + model.layers * model.queryHeads * perHead;
}
