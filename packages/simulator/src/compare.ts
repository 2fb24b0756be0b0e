import { LibraError } from "@libra/base";
import { createScenario } from "./create-scenario.js";
import { type Recommendation, recommend } from "./recommend.js";
import { type SimulateOptions, type Simulation, simulate } from "./simulate.js";
import { type Candidates, candidateSettings } from "./strategies/by-name.js";
import { type StrategyName, strategyNames } from "./strategies/strategy.js";

/** What is compared: strategies at their best settings, over one or several layouts. */
export interface CompareOptions extends Omit<SimulateOptions, "strategy" | "settings" | "onStep"> {
  /** Default: all. */
  readonly strategies?: readonly StrategyName[];
  /** What to try; see {@link Candidates}. */
  readonly candidates?: Candidates;
  /** Context-parallel sizes to try; default: `cp` alone. dp is what is left of the devices. */
  readonly cps?: readonly number[];
  /** Numbers of devices to try; default: `gpus` alone. */
  readonly worlds?: readonly number[];
  /** Called before every simulation. */
  readonly onProgress?: (done: number, total: number, what: string) => void;
}

/** All that was simulated for a comparison. */
export interface Comparison {
  /** The best settings of every strategy in every layout, and Libra at each pool size. */
  readonly rows: readonly Simulation[];
  /** Everything tried, the rows included; all but the rows over fewer steps. */
  readonly tried: readonly Simulation[];
  /** Strategies that a layout cannot run, and why. */
  readonly refused: readonly { strategy: StrategyName; cp: number; gpus: number; reason: string }[];
  /** For `gpus` devices; where these were not tried, for the most. */
  readonly recommendation: Recommendation;
}

/** One simulation that a comparison makes. */
interface Trial {
  readonly options: SimulateOptions;
  /** Trials that compete for one row. */
  readonly row: string;
}

/**
 * Simulates strategies at their best settings: every candidate for one step (strategies that delay
 * documents: all steps, since their steps differ), then the best of each kind for all steps.
 *
 * @throws LibraError when nothing can be run: the first error
 */
export function compare(options: CompareOptions): Comparison {
  const refused: { strategy: StrategyName; cp: number; gpus: number; reason: string }[] = [];
  const trials = listTrials(options, refused);
  const tried: Simulation[] = [];
  const best = new Map<string, { trial: Trial; probe: Simulation }>();
  let firstError: LibraError | undefined;
  let done = 0;
  let total = trials.length + new Set(trials.map((trial) => trial.row)).size;
  const run = (trial: Trial, steps: number): Simulation | undefined => {
    const { strategy, settings, cp = 1, gpus } = trial.options;
    const what = `${strategy} ${describeSettings(settings ?? {})}`.trim();
    options.onProgress?.(done++, total, gpus === options.gpus ? what : `${gpus} GPUs, ${what}`);
    try {
      return simulate({ ...trial.options, steps });
    } catch (error) {
      if (!(error instanceof LibraError) || error.code === "INTERNAL") throw error;
      refused.push({ strategy, cp, gpus, reason: error.message });
      firstError ??= error;
      return undefined;
    }
  };
  for (const trial of trials) {
    const delays = trial.options.strategy === "wlb";
    const probe = run(trial, delays ? (options.steps ?? 4) : 1);
    if (probe === undefined) continue;
    tried.push(probe);
    const current = best.get(trial.row)?.probe;
    if (current === undefined || isBetter(probe, current)) best.set(trial.row, { trial, probe });
  }
  total = done + best.size;
  const rows: Simulation[] = [];
  for (const { trial, probe } of best.values()) {
    const whole =
      probe.steps.length === (options.steps ?? 4) ? probe : run(trial, options.steps ?? 4);
    if (whole !== undefined) rows.push(whole);
  }
  options.onProgress?.(total, total, "done");
  if (rows.length === 0) {
    throw firstError ?? new LibraError("ARGUMENT", refused[0]?.reason ?? "Nothing to compare");
  }
  const worlds = rows.map((row) => row.layout.gpus);
  const world = worlds.includes(options.gpus) ? options.gpus : Math.max(...worlds);
  const recommendation = recommend(rows.filter((row) => row.layout.gpus === world));
  return { rows, tried, refused, recommendation };
}

function listTrials(
  options: CompareOptions,
  refused: { strategy: StrategyName; cp: number; gpus: number; reason: string }[],
): Trial[] {
  const { strategies = strategyNames, candidates, cps, worlds, onProgress: _, ...rest } = options;
  const trials: Trial[] = [];
  for (const gpus of worlds ?? [options.gpus]) {
    for (const cp of cps ?? [options.cp ?? 1]) {
      const scenarioOptions = { ...rest, gpus, cp };
      let scenario: ReturnType<typeof createScenario>;
      try {
        scenario = createScenario(scenarioOptions);
      } catch (error) {
        // One layout asked for: its error is the answer. Of several, those that fit are compared.
        if ((cps ?? []).length + (worlds ?? []).length < 2 || !(error instanceof LibraError))
          throw error;
        for (const strategy of strategies) {
          refused.push({ strategy, cp, gpus, reason: error.message });
        }
        continue;
      }
      for (const strategy of strategies) {
        for (const settings of candidateSettings(strategy, scenario, candidates)) {
          const pool = strategy === "libra" ? ` P ${settings.pool}` : "";
          const row = `${gpus} ${cp} ${strategy}${pool}`;
          trials.push({ options: { ...scenarioOptions, strategy, settings }, row });
        }
      }
    }
  }
  return trials;
}

/** Settings in a few words, as in `pool 8, tolerance 0.01`. */
export function describeSettings(settings: Simulation["settings"]): string {
  return Object.entries(settings)
    .map(([key, value]) =>
      value === true ? key : value === false ? `no ${key}` : `${key} ${value}`,
    )
    .join(", ");
}

// What fits beats what does not; then the higher utilisation (tokens per second would favour steps
// that happen to have short documents).
function isBetter(a: Simulation, b: Simulation): boolean {
  if (a.memory.fits !== b.memory.fits) return a.memory.fits;
  return a.utilisation > b.utilisation;
}
