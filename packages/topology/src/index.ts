/**
 * Parallel layout, ranks, pools, owned rows, link classes, and rank discovery from the environment.
 *
 * @packageDocumentation
 */
export { documentPositions, requireCuSeqlens } from "./cu-seqlens.js";
export { type Axis, axes, groupRank, groupsOf } from "./groups.js";
export {
  type Coordinates,
  coordinatesOf,
  createLayout,
  type Layout,
  type LayoutOptions,
  rankOf,
} from "./layout.js";
export { type LinkClass, linkClass, linkClasses, type NodeLayout, nodeOf } from "./links.js";
export { type OwnedRows, ownedCount, ownedIndices } from "./owned-rows.js";
export { type OwnedRowsName, ownedRowsByName, ownedRowsNames } from "./owned-rows-by-name.js";
export { type Pool, poolOfRank, poolsOf } from "./pools.js";
export { discoverRank, type RankEnvironment, type RankSource } from "./rank-environment.js";
export { contiguousRows, customRows, zigzagRows } from "./row-partitions.js";
export { type StripeOptions, stripedRows } from "./striped-rows.js";
export { type Sharding, type Sync, type SyncOptions, syncOf } from "./sync.js";
