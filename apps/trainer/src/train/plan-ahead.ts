import type { Sampler, SamplerState } from "@libra/sampler";
import type { PlannedStep, Strategy } from "./strategy.js";

/** A step that is ready to run. */
export interface ReadyStep extends PlannedStep {
  /** The sampler's position after this step: what a checkpoint behind it keeps. */
  readonly state: SamplerState;
}

/**
 * Plans the steps of one rank, the next one while the current one runs: native threads compute then, and
 * the JavaScript thread is idle. Which step comes when does not depend on it.
 */
export class PlanAhead {
  readonly #sampler: Sampler;
  readonly #strategy: Strategy;
  #next: Promise<ReadyStep> | undefined;

  constructor(sampler: Sampler, strategy: Strategy) {
    this.#sampler = sampler;
    this.#strategy = strategy;
  }

  /** The next step: as planned ahead, or planned now. */
  take(): Promise<ReadyStep> {
    const next = this.#next ?? this.#plan();
    this.#next = undefined;
    return next;
  }

  /** Plans the next step now. What fails shows when the step is taken. */
  ahead(): void {
    this.#next ??= this.#plan();
    this.#next.catch(() => {});
  }

  async #plan(): Promise<ReadyStep> {
    const step = this.#sampler.next();
    const state = this.#sampler.state();
    return { ...(await this.#strategy.planStep(step)), state };
  }
}
