import { launchLocal, type Rank } from "@libra/runtime";
import type { StrategyConfig } from "../config/schema.js";
import { lengthsOf } from "../data/documents.js";
import { stepSkewOfRanks } from "../metrics/skew.js";
import { type Spread, spreadOf } from "../metrics/spread.js";
import { gatherNumbers } from "./gather.js";
import { PhaseClock, phasesOfRanks } from "./phase-clock.js";
import { RankTrainer, type RunInputs } from "./rank-trainer.js";
import { samplerFor } from "./step-layout.js";
import { loadsOfRanks } from "./step-record.js";
import type { PlannedStep } from "./strategy.js";

/** A step by its place in the run. */
export interface StepPlace {
  readonly epoch: number;
  readonly step: number;
}

/** One step under one strategy. */
export interface ReplayedStep extends StepPlace {
  readonly planner: string;
  readonly loss: number;
  /** Busy time of attention over ranks, ms: the least of the rounds' greatest. */
  readonly attention: Spread;
  readonly wait: Spread;
  /** Skew of planned work over ranks. */
  readonly skew: number;
  readonly milliseconds: number;
}

/**
 * Runs forward and backward of steps again, without updating, under several strategies in turn, so
 * that they meet the same weights and the same state of the machine.
 *
 * @param rounds - times each; the quickest counts
 * @returns [step][strategy]
 */
export async function replay(
  run: RunInputs,
  steps: readonly StepPlace[],
  strategies: readonly StrategyConfig[],
  rounds: number,
  signal?: AbortSignal,
): Promise<ReplayedStep[][]> {
  const { layout } = run.config;
  const { timeoutMs, threads, instructionSet } = run.config.runtime;
  const results = await launchLocal(
    layout.dp * layout.cp,
    (rank) => replayRank(rank, run, steps, strategies, rounds),
    { timeoutMs, threads, instructionSet, signal },
  );
  return results[0]!;
}

async function replayRank(
  rank: Rank,
  run: RunInputs,
  steps: readonly StepPlace[],
  configs: readonly StrategyConfig[],
  rounds: number,
): Promise<ReplayedStep[][]> {
  const trainer = new RankTrainer(rank, run);
  const strategies = configs.map((config) => trainer.strategy(config));
  const sampler = samplerFor(run.config, lengthsOf(run.documents));
  const results: ReplayedStep[][] = [];
  for (const { epoch, step } of steps) {
    const plan = sampler.plan(epoch, step);
    const planned: PlannedStep[] = [];
    for (const strategy of strategies) planned.push(await strategy.planStep(plan));
    const best: (ReplayedStep | undefined)[] = strategies.map(() => undefined);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, strategy] of strategies.entries()) {
        const clock = new PhaseClock(rank);
        const { loss, loads } = await trainer.gradients(planned[index]!, strategy);
        const times = clock.read();
        const all = await gatherNumbers(rank, trainer.stream, [...times, ...loads]);
        const { attention, wait } = phasesOfRanks(all);
        const unit = strategy.place.pool.ranks.length;
        const result: ReplayedStep = {
          epoch,
          step,
          planner: strategy.planner.name,
          loss,
          attention: spreadOf(attention),
          wait: spreadOf(wait),
          skew: stepSkewOfRanks(loadsOfRanks(all, times.length), unit, plan.sync),
          milliseconds: clock.milliseconds,
        };
        const before = best[index];
        if (before === undefined || result.attention.max < before.attention.max) {
          best[index] = result;
        }
      }
    }
    results.push(best.filter((result) => result !== undefined));
  }
  return results;
}
