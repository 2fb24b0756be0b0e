import type { Communicator, Device, Tensor } from "@libra/runtime";
import type { PipelineStreams } from "./pipeline.js";
import type { PreparedPlan } from "./prepared-plan.js";

/** What a pass runs on. */
export interface PassContext {
  readonly device: Device;
  readonly pool: Communicator;
  readonly streams: PipelineStreams;
  readonly prepared: PreparedPlan;
  readonly scale: number;
}

/** Q, K and V as a worker's tiles see them, kept from forward to backward by `keepTiles`. */
export interface KeptTiles {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

/** What a forward pass reads: this rank's rows. */
export interface ForwardInputs {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
}

/** What a forward pass leaves. */
export interface ForwardResult {
  readonly out: Tensor;
  readonly logSumExp: Tensor;
  readonly kept: KeptTiles | undefined;
}

/** What a backward pass reads. */
export interface BackwardInputs extends ForwardInputs {
  readonly out: Tensor;
  readonly logSumExp: Tensor;
  readonly dOut: Tensor;
  readonly kept: KeptTiles | undefined;
}

/** Gradients of this rank's rows, laid out as the inputs. */
export interface Gradients {
  readonly dq: Tensor;
  readonly dk: Tensor;
  readonly dv: Tensor;
}
