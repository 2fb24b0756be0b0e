/**
 * Typed face of the native runtime: devices, tensors, streams, events, communicators and operators.
 *
 * @packageDocumentation
 */
export { type CalibrateOutput, runCalibrate } from "./calibrate/run-calibrate.js";
export { type BlockList, Communicator, type Transfer } from "./communicator.js";
export type { Device, MemoryReport } from "./device.js";
export { type DoctorOptions, runDoctor } from "./doctor/run-doctor.js";
export type { DType, FloatType, TensorData } from "./dtype.js";
export { Event } from "./event.js";
export { instructionSets } from "./instruction-sets.js";
export { launchLocal } from "./launch-local.js";
export type { LaunchOptions } from "./launch-options.js";
export {
  attentionBackward,
  attentionDelta,
  attentionForward,
  mergePartials,
} from "./ops/attention.js";
export { crossEntropy, crossEntropyBackward } from "./ops/cross-entropy.js";
export { add, cast, copy, fill, scale } from "./ops/elementwise.js";
export { embedding, embeddingBackward } from "./ops/embedding.js";
export { linear, linearBackwardInput, linearBackwardWeight } from "./ops/linear.js";
export { adamW, clipFactor, sumSquares } from "./ops/optimizer.js";
export { rmsNorm, rmsNormBackward } from "./ops/rms-norm.js";
export { rope } from "./ops/rope.js";
export type { AttentionSegments } from "./ops/segments.js";
export { swiglu, swigluBackward } from "./ops/swiglu.js";
export {
  accumulateVectors,
  gatherVectors,
  scatterVectors,
  type VectorBlocks,
  type VectorRuns,
} from "./ops/vectors.js";
export type { Rank } from "./rank.js";
export { Stream, type Timing } from "./stream.js";
export { Tensor } from "./tensor.js";
