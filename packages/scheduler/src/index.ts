/**
 * Every context-parallel scheme as a tile plan: planners, exchange programs, explain and trace.
 *
 * @packageDocumentation
 */
export { allGather } from "./all-gather.js";
export { type TraceEvent, toChromeTrace } from "./chrome-trace.js";
export { exchangeProgram } from "./exchange.js";
export {
  type BlockList,
  type BufferSizes,
  bufferIds,
  type ChunkProgram,
  type ExchangeProgram,
  type ExchangeVectors,
  type Hop,
  type KeyRuns,
  type OrderedAdds,
  type Transfer,
} from "./exchange-program.js";
export { explain, reportWorkers, type WorkerReport } from "./explain.js";
export type { GroupOptions } from "./group-planner.js";
export { libra } from "./libra.js";
export type { LibraOptions } from "./libra-options.js";
export {
  type PlannerName,
  type PlannerOptions,
  plannerByName,
  plannerNames,
} from "./planner-by-name.js";
export type { PoolInput } from "./pool-input.js";
export { type TilePlan, type TilePlanner, tileColumns } from "./tile-plan.js";
export { tilePlanHash } from "./tile-plan-hash.js";
export { type TileSegment, tileSegments } from "./tile-segments.js";
export { ulysses } from "./ulysses.js";
export { validateExchange } from "./validate-exchange.js";
