import { type Phase, type PhaseTimes, phases } from "../metrics/phase-history.js";
import { type Spread, spreadOf } from "../metrics/spread.js";

/** What one step tells: printed as a line, kept as a line of metrics.jsonl. */
export interface StepRecord {
  /** Optimizer steps done, this one included. */
  readonly step: number;
  readonly epoch: number;
  /** Place of the step in its epoch's plans, from 0. */
  readonly epochStep: number;
  readonly loss: number;
  /** Norm of the gradients before clipping. */
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly tokens: number;
  readonly targets: number;
  readonly milliseconds: number;
  readonly tokensPerSecond: number;
  /** Skew over ranks of plain data parallelism (arrival order, every sequence at home). */
  readonly skewBefore: number;
  /** Skew over ranks of the plans that ran. */
  readonly skewAfter: number;
  /** Over ranks, milliseconds; attention is busy time of compute threads. */
  readonly attention: Spread;
  readonly exchange: Spread;
  readonly wait: Spread;
  readonly other: Spread;
  /** Milliseconds of every rank, the numbers behind the four spreads; for `libra report`. */
  readonly ranks: Readonly<Record<Phase, readonly number[]>>;
  /** Hash of the step plan: which documents, where. */
  readonly planHash: string;
}

/** @returns a step's times as spreads over ranks, and rank by rank to the microsecond */
export function phaseSpreads(times: PhaseTimes): Pick<StepRecord, Phase | "ranks"> {
  const byPhase = <Value>(value: (of: Float64Array) => Value) =>
    Object.fromEntries(phases.map((phase) => [phase, value(times[phase])])) as Record<Phase, Value>;
  const rounded = (values: Float64Array) => Array.from(values, (ms) => Number(ms.toFixed(3)));
  return { ...byPhase(spreadOf), ranks: byPhase(rounded) };
}

/** One line for people; times are least/median/greatest over ranks. */
export function describeStep(record: StepRecord, steps: number): string {
  const spread = ({ min, median, max }: Spread) =>
    `${[min, median, max].map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join("/")} ms`;
  return [
    `step ${String(record.step).padStart(String(steps).length)}/${steps}`,
    `loss ${record.loss.toFixed(4)}`,
    `${Math.round(record.tokensPerSecond)} tokens/s`,
    `skew ${record.skewBefore.toFixed(2)} → ${record.skewAfter.toFixed(2)}`,
    `attention ${spread(record.attention)}`,
    `exchange ${spread(record.exchange)}`,
    `wait ${spread(record.wait)}`,
  ].join("  ");
}

/** [micro-step][rank] out of [rank][times, then loads]. */
export function loadsOfRanks(all: readonly Float64Array[], before: number): Float64Array[] {
  const microSteps = all[0]!.length - before;
  return Array.from({ length: microSteps }, (_, m) =>
    Float64Array.from(all, (numbers) => numbers[before + m]!),
  );
}
