import { LibraError } from "@libra/base";
import { launchLocal, type Rank } from "@libra/runtime";
import { planHash, type StepPlan } from "@libra/sampler";
import { lengthsOf } from "../data/documents.js";
import { arrivalSkewOf } from "../metrics/arrival.js";
import type { PhaseTimes } from "../metrics/phase-history.js";
import { stepSkewOfRanks } from "../metrics/skew.js";
import { type AttentionMemory, attentionMemory } from "./attention-memory.js";
import { saveCheckpoint } from "./checkpoint.js";
import { gatherNumbers } from "./gather.js";
import { learningRateAt } from "./learning-rate.js";
import { PhaseClock, phasesOfRanks } from "./phase-clock.js";
import { PlanAhead } from "./plan-ahead.js";
import { PlanThread } from "./plan-thread.js";
import type { PreparedRun } from "./prepare.js";
import { RankTrainer } from "./rank-trainer.js";
import { samplerFor } from "./step-layout.js";
import { loadsOfRanks, phaseSpreads, type StepRecord } from "./step-record.js";
import type { PlannedStep, Strategy } from "./strategy.js";

/** Who hears of a run; all calls come from rank 0, except `beforeStep`. */
export interface TrainListener {
  step?(record: StepRecord, times: PhaseTimes): void;
  checkpoint?(folder: string): void;
  /** Told once, after the first step. */
  memory?(memory: AttentionMemory): void;
  /** Called on every rank before a step, which waits for it; what it throws fails that rank. */
  beforeStep?(rank: number, step: number): void | Promise<void>;
}

/**
 * Trains on ranks of this process until `config.steps` optimizer steps are done.
 *
 * @param signal - stops all ranks
 * @throws LibraError of the rank that failed first; all others have stopped then
 */
export async function train(
  run: PreparedRun,
  listener: TrainListener,
  signal?: AbortSignal,
): Promise<void> {
  const { layout, runtime } = run.config;
  const { timeoutMs, threads, instructionSet } = runtime;
  const planThread = new PlanThread();
  try {
    await launchLocal(layout.dp * layout.cp, (rank) => trainRank(rank, run, listener, planThread), {
      timeoutMs,
      threads,
      instructionSet,
      signal,
    });
  } finally {
    await planThread.close();
  }
}

async function trainRank(
  rank: Rank,
  run: PreparedRun,
  listener: TrainListener,
  planThread: PlanThread,
): Promise<void> {
  const { config, start, documents } = run;
  const trainer = new RankTrainer(rank, run, planThread);
  const strategy = trainer.strategy(config.strategy);
  const sampler = samplerFor(config, lengthsOf(documents));
  if (start.sampler !== undefined) sampler.restore(start.sampler);
  const planning = new PlanAhead(sampler, strategy);
  const { planAhead, checkPlansEvery } = config.runtime;
  for (let index = start.step; index < config.steps; index += 1) {
    await listener.beforeStep?.(rank.rank, index);
    const ready = await planning.take();
    const sinceStart = index - start.step;
    if (sinceStart === 0 || (checkPlansEvery > 0 && sinceStart % checkPlansEvery === 0)) {
      await trainer.checkPlans(ready, strategy);
    }
    const meanwhile = planAhead && index + 1 < config.steps ? () => planning.ahead() : undefined;
    await trainStep(trainer, strategy, ready, index, run, listener, meanwhile);
    if (sinceStart === 0) await tellMemory(trainer, strategy, run, listener);
    const done = index + 1;
    const { every } = config.checkpoint;
    if (done !== config.steps && (every === 0 || done % every !== 0)) continue;
    // Every rank holds the same bits; the first writes.
    if (rank.rank !== 0) continue;
    const contents = await trainer.contents();
    rank.signal.throwIfAborted();
    const whole = { step: done, sampler: ready.state, ...contents };
    const { window } = config.batch;
    const folder = saveCheckpoint(run.runFolder, run.sizes, window, whole);
    listener.checkpoint?.(folder);
  }
}

async function tellMemory(
  trainer: RankTrainer,
  strategy: Strategy,
  { config, sizes }: PreparedRun,
  listener: TrainListener,
): Promise<void> {
  const { rank, stream } = trainer;
  const memory = await attentionMemory(rank, stream, strategy, config, sizes.layers);
  if (rank.rank === 0) listener.memory?.(memory);
}

async function trainStep(
  trainer: RankTrainer,
  strategy: Strategy,
  planned: PlannedStep,
  index: number,
  { config }: PreparedRun,
  listener: TrainListener,
  meanwhile: (() => void) | undefined,
): Promise<void> {
  const { rank } = trainer;
  const clock = new PhaseClock(rank);
  const plan = planned.step;
  const { loss, targets, loads } = await trainer.gradients(planned, strategy, meanwhile);
  const gradientNorm = await trainer.update(index);
  requireFinite(index + 1, loss, gradientNorm);
  const times = clock.read();
  const all = await gatherNumbers(rank, trainer.stream, [...times, ...loads]);
  rank.signal.throwIfAborted();
  if (rank.rank !== 0 || listener.step === undefined) return;
  const phases = phasesOfRanks(all);
  const unit = strategy.place.pool.ranks.length;
  const record: StepRecord = {
    step: index + 1,
    epoch: plan.epoch,
    epochStep: plan.step,
    loss,
    gradientNorm,
    learningRate: learningRateAt(config.optimizer, index),
    targets,
    ...speedOf(plan, clock.milliseconds),
    skewBefore: arrivalSkewOf(plan),
    skewAfter: stepSkewOfRanks(loadsOfRanks(all, times.length), unit, plan.sync),
    ...phaseSpreads(phases),
    planHash: planHash(plan),
  };
  listener.step(record, phases);
}

/** Weights that are no numbers any more would otherwise be trained on, and saved as a checkpoint. */
function requireFinite(step: number, loss: number, gradientNorm: number): void {
  if (Number.isFinite(loss) && Number.isFinite(gradientNorm)) return;
  throw new LibraError(
    "STATE",
    `step ${step} has loss ${loss} and gradient norm ${gradientNorm}: training has diverged; lower optimizer.learningRate or raise optimizer.warmupSteps, and go on from an earlier checkpoint`,
  );
}

function speedOf(
  plan: StepPlan,
  milliseconds: number,
): Pick<StepRecord, "tokens" | "milliseconds" | "tokensPerSecond"> {
  const tokensPerSecond = (1000 * plan.tokens) / milliseconds;
  return { tokens: plan.tokens, milliseconds, tokensPerSecond };
}
