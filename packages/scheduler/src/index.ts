/**
 * Every context-parallel scheme as a tile plan: planners, exchange programs, explain and trace.
 *
 * @packageDocumentation
 */
export { allGather } from "./all-gather.js";
export { type TraceEvent, toChromeTrace } from "./chrome-trace.js";
export {
  type ClassBytes,
  type DescribeOptions,
  describePlan,
  type PlanDescription,
  type WorkerReport,
} from "./describe-plan.js";
export { type DisaggregatedOptions, disaggregated } from "./disaggregated.js";
export { type ExchangeOptions, exchangeProgram } from "./exchange.js";
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
  type OrderedMerges,
  type Transfer,
} from "./exchange-program.js";
export { explain } from "./explain.js";
export type { GroupOptions } from "./group-planner.js";
export { type LibraPlanner, libra } from "./libra.js";
export type { LibraOptions } from "./libra-options.js";
export { type MinHeapChunksOptions, minHeapChunks } from "./min-heap-chunks.js";
export { decodePlan, encodePlan } from "./plan-file.js";
export { type PlanTraffic, planTraffic, type TrafficOptions } from "./plan-traffic.js";
export {
  type PlannerName,
  type PlannerOptions,
  plannerByName,
  plannerNames,
} from "./planner-by-name.js";
export type { PoolInput } from "./pool-input.js";
export { ring } from "./ring.js";
export { type TilePlan, type TilePlanner, tileColumns } from "./tile-plan.js";
export { tilePlanHash } from "./tile-plan-hash.js";
export { type TileSegment, tileSegments } from "./tile-segments.js";
export { type TiledGreedyOptions, tiledGreedy } from "./tiled-greedy.js";
export { type Timeline, type TimelineOptions, type TimelineSpan, timeline } from "./timeline.js";
export { ulysses } from "./ulysses.js";
export { validateExchange } from "./validate-exchange.js";
export { type PerDocumentOptions, perDocument, zigzag } from "./zigzag.js";
