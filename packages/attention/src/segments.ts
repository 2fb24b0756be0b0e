import type { AttentionSegments } from "@libra/runtime";
import {
  type ExchangeProgram,
  type KeyRuns,
  type TilePlan,
  type TileSegment,
  tileSegments,
} from "@libra/scheduler";
import { vectorIndex } from "./offsets.js";

/** Where the vectors of a worker's tiles lie: in its staging tensors, or in its home tensors. */
interface VectorLayout {
  queryOffset(segment: TileSegment, tile: number, own: number): number;
  queryStride(tile: number): number;
  keyOffset(segment: TileSegment, tile: number): number;
  readonly keyStride: number;
}

/**
 * The kernel's segments of one chunk over the staging tensors.
 *
 * @param chunk - which chunk of the program
 * @returns columns in list order: tiles in the order of execution, inside a tile KV heads, then
 *   documents, ascending; the order in which dK and dV of shared keys are added
 */
export function stagingSegments(
  plan: TilePlan,
  program: ExchangeProgram,
  chunk: number,
): AttentionSegments {
  const layout: VectorLayout = {
    queryOffset: (segment, tile, own) =>
      program.queryOffset[own]! +
      vectorIndex(
        segment.rowStart - plan.rowStart[tile]!,
        plan.headCount[tile]!,
        segment.headStart - plan.headStart[tile]!,
      ),
    queryStride: (tile) => plan.headCount[tile]!,
    keyOffset: (segment, tile) => stagedKey(program.runs, plan.sequence[tile]!, segment),
    keyStride: 1,
  };
  const from = program.chunkTileOffsets[chunk]!;
  const to = program.chunkTileOffsets[chunk + 1]!;
  return collect(plan, program.tiles.subarray(from, to), from, layout);
}

/**
 * The kernel's segments of some tiles over the home tensors of the worker that owns their sequence
 * whole.
 */
export function homeSegments(plan: TilePlan, tiles: Int32Array): AttentionSegments {
  const { queryHeads, kvHeads } = plan.heads;
  return collect(plan, tiles, 0, {
    queryOffset: (segment) => vectorIndex(segment.rowStart, queryHeads, segment.headStart),
    queryStride: () => queryHeads,
    keyOffset: (segment) => vectorIndex(segment.keyStart, kvHeads, segment.kvHead),
    keyStride: kvHeads,
  });
}

function collect(
  plan: TilePlan,
  tiles: Int32Array,
  firstOwn: number,
  layout: VectorLayout,
): AttentionSegments {
  const rows: number[][] = [];
  for (const [i, tile] of tiles.entries()) {
    for (const segment of tileSegments(plan, tile)) {
      rows.push([
        layout.queryOffset(segment, tile, firstOwn + i),
        layout.queryStride(tile),
        segment.headCount,
        segment.rowCount,
        segment.keyCount === 0 ? 0 : layout.keyOffset(segment, tile),
        layout.keyStride,
        segment.keyCount,
        segment.causal ? 1 : 0,
      ]);
    }
  }
  const column = (index: number) => Int32Array.from(rows, (row) => row[index]!);
  const offsets = (index: number) => Float64Array.from(rows, (row) => row[index]!);
  // Frozen, so that the runtime keeps its native copy for all layers and steps.
  return Object.freeze({
    count: rows.length,
    queryOffset: offsets(0),
    queryStride: column(1),
    heads: column(2),
    rows: column(3),
    keyOffset: offsets(4),
    keyStride: column(5),
    keys: column(6),
    causal: column(7),
  });
}

// Runs are sorted by (sequence, kvHead, rowStart) and a segment's keys lie inside one of them.
function stagedKey(runs: KeyRuns, sequence: number, segment: TileSegment): number {
  let low = 0;
  let high = runs.sequence.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order =
      runs.sequence[middle]! - sequence ||
      runs.kvHead[middle]! - segment.kvHead ||
      runs.rowStart[middle]! - segment.keyStart;
    if (order <= 0) low = middle + 1;
    else high = middle;
  }
  const run = low - 1;
  return runs.offset[run]! + segment.keyStart - runs.rowStart[run]!;
}
