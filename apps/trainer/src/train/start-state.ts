import type { SamplerState } from "@libra/sampler";

/** Where a run begins: from new parameters, from a Hugging Face folder or from a checkpoint. */
export interface StartState {
  /** Values by parameter name. */
  readonly values: ReadonlyMap<string, Float32Array>;
  /** Optimizer moments by parameter name; absent: zeros. */
  readonly first?: ReadonlyMap<string, Float32Array>;
  readonly second?: ReadonlyMap<string, Float32Array>;
  /** Optimizer steps done. */
  readonly step: number;
  /** Position of the sampler; absent: its beginning. */
  readonly sampler?: SamplerState;
}
