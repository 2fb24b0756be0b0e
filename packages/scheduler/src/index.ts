/**
 * Every context-parallel scheme as a tile plan: planners, exchange programs, explain and trace.
 *
 * @packageDocumentation
 */

export { type ExchangeOptions, exchangeProgram } from "./exchange/build-exchange.js";
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
} from "./exchange/exchange-program.js";
export { validateExchange } from "./exchange/validate-exchange.js";
export { type LibraPlanner, libra } from "./libra/libra.js";
export type { LibraOptions } from "./libra/libra-options.js";
export { decodePlan, encodePlan } from "./plan/plan-file.js";
export type { PoolInput } from "./plan/pool-input.js";
export { type TilePlan, type TilePlanner, tileColumns } from "./plan/tile-plan.js";
export { tilePlanHash } from "./plan/tile-plan-hash.js";
export { type TileSegment, tileSegments } from "./plan/tile-segments.js";
export { allGather } from "./planners/all-gather.js";
export { type DisaggregatedOptions, disaggregated } from "./planners/disaggregated.js";
export type { GroupOptions } from "./planners/group-planner.js";
export { type MinHeapChunksOptions, minHeapChunks } from "./planners/min-heap-chunks.js";
export {
  type PlannerName,
  type PlannerOptions,
  plannerByName,
  plannerNames,
} from "./planners/planner-by-name.js";
export { ring } from "./planners/ring.js";
export { type TiledGreedyOptions, tiledGreedy } from "./planners/tiled-greedy.js";
export { ulysses } from "./planners/ulysses.js";
export { type PerDocumentOptions, perDocument, zigzag } from "./planners/zigzag.js";
export { type TraceEvent, toChromeTrace } from "./report/chrome-trace.js";
export {
  type ClassBytes,
  type DescribeOptions,
  describePlan,
  type PlanDescription,
  type WorkerReport,
} from "./report/describe-plan.js";
export { explain } from "./report/explain.js";
export {
  type PlanTraffic,
  planTraffic,
  planTraffics,
  type TrafficOptions,
} from "./report/plan-traffic.js";
export {
  type Timeline,
  type TimelineOptions,
  type TimelineSpan,
  timeline,
} from "./report/timeline.js";
