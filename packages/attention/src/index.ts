/**
 * The drop-in context-parallel attention operator: forward and backward for any tile plan.
 *
 * @packageDocumentation
 */
export { type AttendInputs, type AttendResult, attend } from "./attend.js";
export {
  type Attention,
  type AttentionInputs,
  type AttentionOptions,
  createAttention,
  type SavedAttention,
} from "./attention.js";
export type { Gradients } from "./pass.js";
export type { AttentionStats, CallCounts, ModeMemory, PassCounts, PassMemory } from "./stats.js";
