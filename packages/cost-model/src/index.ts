/**
 * Attention work, planning cost, predicted time, links and memory; model and hardware presets; calibration fit.
 *
 * @packageDocumentation
 */
export { calibratedCost } from "./calibrated-cost.js";
export {
  type CalibrationFit,
  type CalibrationSample,
  type FitError,
  fitCalibration,
} from "./calibration.js";
export type { PassCoefficients, TimeCoefficients } from "./coefficients.js";
export { type EfficiencyTable, interpolateEfficiency } from "./efficiency-table.js";
export {
  type EfficiencyTimerOptions,
  efficiencyTimer,
  type PassEfficiency,
} from "./efficiency-timer.js";
export { attentionFlops, type BackwardProducts, type Pass } from "./flops.js";
export {
  type Hardware,
  type HardwareName,
  hardware,
  hardwareByName,
  hardwareLinks,
  hardwareTimer,
  matrixRate,
  type Network,
} from "./hardware.js";
export { type AttentionHeads, requireHeads } from "./heads.js";
export { linearTimer } from "./linear-timer.js";
export {
  breakEvenLength,
  type LinearFlops,
  linearFlops,
  linearFlopsPerToken,
  linearTime,
} from "./linear-work.js";
export {
  addTraffic,
  type BusiestBytes,
  busiestBytes,
  createTraffic,
  exchangeTime,
  exchangeTimes,
  type Link,
  type Links,
  linkClassCount,
  requireLinks,
  type Traffic,
  transferTime,
} from "./links.js";
export { causalMask, fullMask, type Mask, slidingMask } from "./mask.js";
export {
  activationBytesPerToken,
  parameterCount,
  type ResidentRows,
  rankBytes,
  residentBytes,
} from "./memory.js";
export { type ModelName, type ModelShape, modelByName, models } from "./models.js";
export {
  type NonNegativeSolution,
  nonNegativeLeastSquares,
} from "./non-negative-least-squares.js";
export { causalPairs, maskPairs, paddedSegmentPairs, segmentPairs } from "./pairs.js";
export { pairsCost } from "./pairs-cost.js";
export { documentCost, type PlanningCost, sequenceCost } from "./planning-cost.js";
export {
  formatProfile,
  type HeldOutError,
  type Profile,
  parseProfile,
  profileCost,
  profileTimer,
} from "./profile.js";
export { type RowElements, type RowWidths, rowElementsPerToken } from "./row-work.js";
export { type AttentionTimer, callTime, type SegmentShape } from "./timer.js";
