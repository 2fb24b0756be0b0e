/**
 * Length sources, packing, variance-reduced sequence placement and resumable step plans.
 *
 * @packageDocumentation
 */

export type { OutputOptions } from "./consumers/atomic-file.js";
export {
  type MegatronRewriteOptions,
  type MegatronRewriteReport,
  rewriteMegatronCache,
} from "./consumers/megatron/rewrite-cache.js";
export { writePlanBinary } from "./consumers/plan-binary.js";
export type { Plans } from "./consumers/plan-header.js";
export {
  type PlanFileOptions,
  planLines,
  readPlanNdjson,
  writePlanNdjson,
} from "./consumers/plan-ndjson.js";
export { openPlanBinary, type StoredPlan, type StoredStep } from "./consumers/read-plan-binary.js";
export type { SamplerOptions } from "./options.js";
export type { OrderName } from "./order/document-order.js";
export {
  type TorchDistributedOptions,
  torchDistributedIndices,
} from "./order/torch-distributed.js";
export { torchRandperm } from "./order/torch-randperm.js";
export type { OverlongPolicy, PackingName, PackingReport } from "./packing/types.js";
export { type PlacementName, placementByName, placementNames } from "./placement/by-name.js";
export { type LibraPlacementOptions, libraPlacement } from "./placement/libra.js";
export { measurePlacement, type PlacementMeasure } from "./placement/measure.js";
export {
  type Partition,
  type PartitionOptions,
  partition,
} from "./placement/partition.js";
export type {
  FixedPlacement,
  Placement,
  PlacementShape,
  RepackedStep,
  RepackingPlacement,
} from "./placement/types.js";
export { type WlbPlacementOptions, wlbPlacement } from "./placement/wlb.js";
export { cuSeqlensOf } from "./plan/cu-seqlens.js";
export { planHash } from "./plan/plan-hash.js";
export { noSequence, type StepPlan } from "./plan/step-plan.js";
export {
  choosePoolSize,
  type PoolSizeCandidate,
  type PoolSizeChoice,
  type PoolSizeOptions,
} from "./pool-size/choose.js";
export type { ExchangeEstimate, ExchangeOptions } from "./pool-size/exchange.js";
export { expectedRandomSkew } from "./pool-size/moved-share.js";
export { createSampler, type Sampler } from "./sampler.js";
export { lengthsFingerprint } from "./sources/fingerprint.js";
export {
  type LengthSource,
  type SourceFormat,
  type SourceOptions,
  sourceFormats,
} from "./sources/length-source.js";
export { openLengths } from "./sources/open-lengths.js";
export { lengthsInMemory, type ReadOptions, readLengths } from "./sources/read-lengths.js";
export type { Fingerprint, SamplerState } from "./state.js";
export {
  type PlaceBatchesOptions,
  type PlacedStep,
  placeBatches,
} from "./stream/place-batches.js";
export type { StreamReport } from "./stream/stream-packer.js";
