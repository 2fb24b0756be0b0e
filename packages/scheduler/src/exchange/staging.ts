import type { TilePlan } from "../plan/tile-plan.js";
import type { KeyRuns } from "./exchange-program.js";
import type { KeyUses } from "./key-uses.js";

/** Where the tiles of a worker lie in its query staging: chunk after chunk, tile after tile. */
export function stageTiles(plan: TilePlan, tiles: Int32Array) {
  const queryOffset = new Float64Array(tiles.length);
  const chunkTileOffsets = new Int32Array(plan.chunks + 1);
  const chunkQueryOffsets = new Float64Array(plan.chunks + 1);
  let vectors = 0;
  let i = 0;
  for (let c = 0; c < plan.chunks; c++) {
    for (; i < tiles.length && plan.chunk[tiles[i]!] === c; i++) {
      queryOffset[i] = vectors;
      vectors += plan.rowCount[tiles[i]!]! * plan.headCount[tiles[i]!]!;
    }
    chunkTileOffsets[c + 1] = i;
    chunkQueryOffsets[c + 1] = vectors;
  }
  return { queryOffset, chunkTileOffsets, chunkQueryOffsets };
}

/** The key staging of a worker: its key uses one after another, joined where rows go on. */
export function stageKeys(uses: KeyUses): { runs: KeyRuns; size: number } {
  const sequence: number[] = [];
  const kvHead: number[] = [];
  const rowStart: number[] = [];
  const rowCount: number[] = [];
  const offset: number[] = [];
  let size = 0;
  for (let i = 0; i < uses.count; i++) {
    const rows = uses.rowEnd[i]! - uses.rowStart[i]!;
    const goesOn =
      i > 0 &&
      uses.sequence[i] === uses.sequence[i - 1] &&
      uses.kvHead[i] === uses.kvHead[i - 1] &&
      uses.rowStart[i] === uses.rowEnd[i - 1];
    if (goesOn) rowCount[rowCount.length - 1]! += rows;
    else {
      sequence.push(uses.sequence[i]!);
      kvHead.push(uses.kvHead[i]!);
      rowStart.push(uses.rowStart[i]!);
      rowCount.push(rows);
      offset.push(size);
    }
    size += rows;
  }
  const runs = Object.freeze({
    sequence: Int32Array.from(sequence),
    kvHead: Int32Array.from(kvHead),
    rowStart: Int32Array.from(rowStart),
    rowCount: Int32Array.from(rowCount),
    offset: Float64Array.from(offset),
  });
  return { runs, size };
}
