import { xxh64 } from "@libra/base";
import { copy, type Device, type Rank, type Stream, type Tensor } from "@libra/runtime";
import { planHash, type StepPlan } from "@libra/sampler";
import { type TilePlan, tilePlanHash } from "@libra/scheduler";
import type { StrategyConfig, TrainConfig } from "../config/schema.js";
import { ownedRowsOf, type SequenceRows, wholeSequence } from "../data/sequence.js";
import type { TokenColumns } from "../files/indexed-dataset.js";
import type { NamedArray } from "../files/safetensors-read.js";
import { parameterShapes } from "../model/parameter-shapes.js";
import { Parameters } from "../model/parameters.js";
import type { Place } from "../model/place.js";
import { Qwen3 } from "../model/qwen3.js";
import type { ModelSizes } from "../model/sizes.js";
import { agree } from "./agree.js";
import type { Checkpoint } from "./checkpoint.js";
import { runMicroStep } from "./micro-step.js";
import { Optimizer } from "./optimizer.js";
import type { PlanThread } from "./plan-thread.js";
import type { StartState } from "./start-state.js";
import type { RankPlace } from "./step-layout.js";
import { type PlannedStep, Strategy } from "./strategy.js";

/** What all ranks of a run share; nobody changes it. */
export interface RunInputs {
  readonly config: TrainConfig;
  readonly sizes: ModelSizes;
  readonly documents: TokenColumns;
  readonly start: StartState;
}

/** Loss of a step, the same number on every rank. */
export interface StepLoss {
  /** Sum over all valid targets of the global batch ÷ their number; 0 when there are none. */
  readonly loss: number;
  /** Targets that the ranks counted, all together. */
  readonly targets: number;
  /** Planning cost of this rank's tiles, one per micro-step. */
  readonly loads: readonly number[];
}

/** One rank's model, optimizer and strategies, and the parts of a training step. */
export class RankTrainer {
  readonly rank: Rank;
  readonly parameters: Parameters;
  readonly optimizer: Optimizer;
  readonly stream: Stream;
  readonly #inputs: RunInputs;
  readonly #device: Device;
  readonly #place: Place;
  readonly #model: Qwen3;

  readonly #thread: PlanThread | undefined;

  /** @param thread - makes the plans of planners whose scope is the world */
  constructor(rank: Rank, inputs: RunInputs, thread?: PlanThread) {
    this.rank = rank;
    this.#thread = thread;
    this.stream = rank.stream("compute");
    this.#device = rank.device;
    this.#inputs = inputs;
    this.#place = { device: rank.device, stream: this.stream };
    this.parameters = new Parameters(
      rank.device,
      parameterShapes(inputs.sizes),
      inputs.config.dtype,
    );
    this.#model = new Qwen3(this.#place, this.parameters, inputs.sizes);
    this.optimizer = new Optimizer(this.#place, this.parameters, inputs.config.optimizer);
    this.#load(inputs.start);
  }

  /** Every rank makes its strategies in the same order. */
  strategy(config: StrategyConfig): Strategy {
    return new Strategy(this.rank, this.#inputs.config, this.#inputs.sizes, config, this.#thread);
  }

  /**
   * Compares the plans of a step: its step plan over all ranks, its tile plans over the pool's.
   *
   * @throws LibraError `MISMATCH` on all of them
   */
  async checkPlans({ step, tiles }: PlannedStep, strategy: Strategy): Promise<void> {
    const { world } = this.rank;
    await agree(world, this.#device, this.stream, planHash(step), "step plans");
    const hashes = BigUint64Array.from(tiles, (plan) => BigInt(`0x${tilePlanHash(plan)}`));
    const all = xxh64([hashes]);
    await agree(strategy.communicator, this.#device, this.stream, all, "tile plans");
  }

  /**
   * Forward and backward of a whole step; afterwards every rank holds the same gradients: of the sum
   * over valid targets of the global batch ÷ their number.
   *
   * @param meanwhile - called once all is enqueued, while the native threads still compute
   */
  async gradients(
    { step, tiles }: PlannedStep,
    strategy: Strategy,
    meanwhile?: () => void,
  ): Promise<StepLoss> {
    const { targets } = step;
    const microSteps = tiles.length;
    const sums = this.#device.zeros([microSteps, 2], "float64");
    const loads: number[] = [];
    this.optimizer.clear();
    for (const [microStep, plan] of tiles.entries()) {
      loads.push(plan.loads[strategy.place.worker]!);
      await runMicroStep(this.#place, {
        model: this.#model,
        rows: this.#rows(step, microStep, plan, strategy.place),
        attend: strategy.attend(plan, this.stream),
        scale: targets === 0 ? 0 : 1 / targets,
        sums: sums.slice(microStep, microStep + 1).reshape(2),
      });
    }
    this.rank.world.allReduce(this.stream, this.parameters.gradients);
    this.rank.world.allReduce(this.stream, sums);
    const reading = this.stream.read(sums);
    meanwhile?.();
    const all = await reading;
    sums.free();
    let lossSum = 0;
    let count = 0;
    for (let microStep = 0; microStep < microSteps; microStep += 1) {
      lossSum += all[2 * microStep]!;
      count += all[2 * microStep + 1]!;
    }
    return { loss: targets === 0 ? 0 : lossSum / targets, targets: count, loads };
  }

  /**
   * Clips and applies the gradients.
   *
   * @param index - optimizer steps done before
   * @returns the gradients' norm before clipping
   */
  async update(index: number): Promise<number> {
    const norm = this.#device.scope(() => this.optimizer.update(index));
    return (await this.stream.read(norm))[0]!;
  }

  /** Values and optimizer moments by name, read back from the device. */
  async contents(): Promise<Pick<Checkpoint, "values" | "first" | "second">> {
    const read = async (flat: Tensor) =>
      this.parameters.split(Float32Array.from(await this.stream.read(flat)));
    return {
      values: await read(this.parameters.values),
      first: await read(this.optimizer.first),
      second: await read(this.optimizer.second),
    };
  }

  /** Gradients by name, read back from the device. */
  async readGradients(): Promise<Map<string, NamedArray>> {
    const flat = await this.stream.read(this.parameters.gradients);
    return this.parameters.split(Float32Array.from(flat));
  }

  #rows(step: StepPlan, microStep: number, plan: TilePlan, place: RankPlace): SequenceRows {
    const slot = microStep * step.dp + place.replica;
    const owned = plan.owned[Math.floor(place.worker / plan.cp)]!;
    return ownedRowsOf(wholeSequence(step, slot, this.#inputs.documents), owned, place.cpIndex);
  }

  #load({ values, first, second }: StartState): void {
    this.#device.scope(() => {
      const write = (column: Float32Array, to: Tensor) =>
        copy(this.stream, { from: this.#device.fromArray(column, [column.length]), to });
      write(this.parameters.join(values), this.parameters.values);
      if (first !== undefined) write(this.parameters.join(first), this.optimizer.first);
      if (second !== undefined) write(this.parameters.join(second), this.optimizer.second);
      this.parameters.refresh(this.stream);
    });
  }
}
