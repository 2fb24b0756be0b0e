/**
 * Attention work, planning cost, predicted time, links and memory; model and hardware presets; calibration fit.
 *
 * @packageDocumentation
 */

export { calibratedCost } from "./calibrated-cost.js";
export type { PassCoefficients, TimeCoefficients } from "./coefficients.js";
export { type AttentionHeads, requireHeads } from "./heads.js";
export { causalMask, fullMask, type Mask, slidingMask } from "./mask.js";
export { causalPairs, maskPairs, paddedSegmentPairs, segmentPairs } from "./pairs.js";
export { pairsCost } from "./pairs-cost.js";
export { documentCost, type PlanningCost, sequenceCost } from "./planning-cost.js";
