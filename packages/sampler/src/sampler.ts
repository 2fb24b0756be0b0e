import { expected, LibraError, requireInteger } from "@libra/base";
import { type ResolvedOptions, resolveOptions, type SamplerOptions } from "./options.js";
import { documentOrder } from "./order/document-order.js";
import { pack } from "./packing/pack.js";
import type { PackedEpoch, PackingReport } from "./packing/types.js";
import { arrivalPlacement } from "./placement/arrival.js";
import type { RepackedSequences, RepackingRun } from "./placement/types.js";
import { buildPlan, type StepSequences } from "./plan/build-plan.js";
import type { StepPlan } from "./plan/step-plan.js";
import { fingerprintOf, requireState, type SamplerState, stateVersion } from "./state.js";

/** Step plans of a corpus, epoch after epoch, from any position. */
export interface Sampler {
  /**
   * Steps of the epoch that `next` is in, from its start. The same in every epoch under
   * `concatSplit` without alignment; other packings may differ by a few from epoch to epoch.
   */
  readonly stepsPerEpoch: number;
  /** Packing of the epoch that `next` is in. */
  readonly report: PackingReport;
  /** The next step; goes on to the next epoch by itself and never ends. */
  next(): StepPlan;
  /**
   * Step `step` of an epoch read from its start: a pure function of (lengths, options, epoch, step).
   * A placement that changes the step (`wlb`) is replayed from the first step of all.
   *
   * @throws LibraError ARGUMENT when the epoch has no such step
   */
  plan(epoch: number, step: number): StepPlan;
  /** Position before the next step, as plain JSON of constant size. */
  state(): SamplerState;
  /**
   * Goes to a saved position in constant time, also one saved with other dp, cp, poolSize,
   * microSteps or placement: the next step begins at the first sequence not consumed.
   *
   * @throws LibraError STATE when the state belongs to another corpus or configuration
   */
  restore(state: SamplerState): void;
}

/**
 * Builds a sampler over lengths in memory.
 *
 * End of an epoch: with `dropLast` an epoch has floor(full windows / (dp · microSteps)) steps and
 * what is left over is not used in that epoch (another order, another rest, in the next). Without
 * it the last step takes all that is left, and its other slots are fillers: no segments, weight 0.
 * After a restore with another dp the same rule holds from the restored position on. All ranks have
 * equal numbers of steps always.
 *
 * @throws LibraError ARGUMENT for a wrong option; LENGTHS when nothing is usable, or when one
 * epoch has not even one step
 */
export function createSampler(options: SamplerOptions): Sampler {
  return new CorpusSampler(resolveOptions(options));
}

class CorpusSampler implements Sampler {
  private readonly fingerprint;
  private readonly perStep: number;
  private epoch = 0;
  private step = 0;
  private cursor = 0;
  private consumedSamples = 0;
  private consumedTokens = 0;
  private run: RepackingRun | undefined;
  private replay: CorpusSampler | undefined;
  private cached: { epoch: number; packed: PackedEpoch } | undefined;

  constructor(private readonly options: ResolvedOptions) {
    const { pools, poolSize, microSteps } = options.shape;
    this.perStep = pools * poolSize * microSteps;
    this.fingerprint = fingerprintOf(options);
    this.run = this.begin();
    const available = this.available(this.packedEpoch(0));
    if (this.steps(available) === 0) {
      throw new LibraError(
        "LENGTHS",
        `One step takes ${this.perStep} packed sequences (dp × microSteps) but the corpus fills ${available}; lower dp or microSteps or the window, or set dropLast to false`,
        { details: { perStep: this.perStep, available } },
      );
    }
  }

  get stepsPerEpoch(): number {
    return this.steps(this.available(this.packedEpoch(this.epoch)));
  }

  get report(): PackingReport {
    return this.packedEpoch(this.epoch).report;
  }

  next(): StepPlan {
    const wanted = this.run?.wanted ?? this.perStep;
    const least = this.options.dropLast ? wanted : Math.min(wanted, 1);
    while (this.available(this.packedEpoch(this.epoch)) - this.cursor < least) {
      this.epoch++;
      this.step = 0;
      this.cursor = 0;
    }
    const packed = this.packedEpoch(this.epoch);
    const end = Math.min(this.cursor + wanted, this.available(packed));
    const arriving = packed.segments(this.cursor, end);
    const plan = this.run
      ? this.planRepacked(this.run.repack(arriving))
      : this.planOf({ epoch: this.epoch, step: this.step, first: this.cursor, segments: arriving });
    this.consumedSamples = addExactly(this.consumedSamples, end - this.cursor);
    this.consumedTokens = addExactly(this.consumedTokens, plan.tokens);
    this.step++;
    this.cursor = end;
    return plan;
  }

  plan(epoch: number, step: number): StepPlan {
    requireInteger(epoch, "epoch", 0);
    requireInteger(step, "step", 0);
    if (this.run) return this.replayed(epoch, step);
    const packed = this.packedEpoch(epoch);
    const steps = this.steps(this.available(packed));
    if (step >= steps) throw expected(`a step below ${steps} of epoch ${epoch}`, "step", step);
    const first = step * this.perStep;
    const end = Math.min(first + this.perStep, this.available(packed));
    return this.planOf({ epoch, step, first, segments: packed.segments(first, end) });
  }

  state(): SamplerState {
    const { fingerprint, epoch, step, cursor, consumedSamples, consumedTokens } = this;
    return Object.freeze({
      version: stateVersion,
      fingerprint,
      seed: this.options.seed,
      epoch,
      step,
      cursor,
      consumedSamples,
      consumedTokens,
      ...(this.run ? { strategy: this.run.state() } : {}),
    });
  }

  restore(state: SamplerState): void {
    requireState(state, this.fingerprint);
    this.run = this.begin(state.strategy);
    this.epoch = state.epoch;
    this.step = state.step;
    this.cursor = state.cursor;
    this.consumedSamples = state.consumedSamples;
    this.consumedTokens = state.consumedTokens;
  }

  private begin(saved?: unknown): RepackingRun | undefined {
    const { placement, packing, cost } = this.options;
    if (!placement.changesStep) return undefined;
    const { window, alignment } = packing;
    return placement.begin({ slots: this.perStep, window, alignment, cost }, saved);
  }

  private replayed(epoch: number, step: number): StepPlan {
    const isPast = (sampler: CorpusSampler) =>
      sampler.epoch > epoch || (sampler.epoch === epoch && sampler.step > step);
    if (!this.replay || isPast(this.replay)) this.replay = new CorpusSampler(this.options);
    for (;;) {
      const plan = this.replay.next();
      if (plan.epoch === epoch && plan.step === step) return plan;
      if (plan.epoch > epoch) throw expected(`a step of epoch ${epoch}`, "step", step);
    }
  }

  private planRepacked({ segments, report }: RepackedSequences): StepPlan {
    const { epoch, step } = this;
    const placement = this.options.placement.name;
    return this.planOf({ epoch, step, first: 0, segments, placement, repacked: report });
  }

  private planOf(sequences: StepSequences): StepPlan {
    const { shape, placement, cost, packing } = this.options;
    const { window, alignment } = packing;
    const fixed = placement.changesStep ? arrivalPlacement() : placement;
    return buildPlan(sequences, { shape, placement: fixed, cost, window, alignment });
  }

  private packedEpoch(epoch: number): PackedEpoch {
    if (this.cached?.epoch !== epoch) {
      const { lengths, packing } = this.options;
      const order = documentOrder(lengths.length, epoch, this.options);
      this.cached = { epoch, packed: pack(lengths, order, packing) };
    }
    return this.cached.packed;
  }

  private available(packed: PackedEpoch): number {
    return this.options.dropLast ? packed.fullCount : packed.count;
  }

  private steps(sequences: number): number {
    const steps = sequences / this.perStep;
    return this.options.dropLast ? Math.floor(steps) : Math.ceil(steps);
  }
}

function addExactly(count: number, more: number): number {
  const sum = count + more;
  if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  throw new LibraError("STATE", "A counter of the sampler state would pass 2^53 − 1");
}
