import { documentOfRow } from "./sequence-lines.js";
import type { TilePlan } from "./tile-plan.js";

/** Part of a tile inside one document and one KV head: one attention call over a dense range. */
export interface TileSegment {
  readonly headStart: number;
  /** Query heads of `kvHead`, consecutive. */
  readonly headCount: number;
  readonly kvHead: number;
  /** Rows of the packed sequence. */
  readonly rowStart: number;
  readonly rowCount: number;
  /** Key rows of the packed sequence; no keys for rows that see none. */
  readonly keyStart: number;
  readonly keyCount: number;
  /** Bottom-right causal (the keys end with the rows); otherwise every row sees every key. */
  readonly causal: boolean;
}

/**
 * The segments of a tile: KV heads ascending, in a KV head rows ascending; every (row, head) of the
 * tile in exactly one. A row sees the keys of its own document at or before itself inside the
 * tile's key range.
 */
export function tileSegments(plan: TilePlan, tile: number): TileSegment[] {
  const { queryHeads, kvHeads } = plan.heads;
  const group = queryHeads / kvHeads;
  const headEnd = plan.headStart[tile]! + plan.headCount[tile]!;
  const ranges = rowRanges(plan, tile);
  const segments: TileSegment[] = [];
  for (let head = plan.headStart[tile]!; head < headEnd; ) {
    const kvHead = Math.floor(head / group);
    const end = Math.min(headEnd, (kvHead + 1) * group);
    for (const range of ranges) {
      segments.push({ headStart: head, headCount: end - head, kvHead, ...range });
    }
    head = end;
  }
  return segments;
}

type RowRange = Pick<TileSegment, "rowStart" | "rowCount" | "keyStart" | "keyCount" | "causal">;

function rowRanges(plan: TilePlan, tile: number): RowRange[] {
  const cuSeqlens = plan.sequences[plan.sequence[tile]!]!;
  const rowEnd = plan.rowStart[tile]! + plan.rowCount[tile]!;
  const tileKeyStart = plan.keyStart[tile]!;
  const tileKeyEnd = tileKeyStart + plan.keyCount[tile]!;
  const ranges: RowRange[] = [];
  let row = plan.rowStart[tile]!;
  for (let d = documentOfRow(cuSeqlens, row); row < rowEnd; d++) {
    const end = Math.min(rowEnd, cuSeqlens[d + 1]!);
    const keyStart = Math.max(tileKeyStart, cuSeqlens[d]!);
    const keyEnd = Math.max(keyStart, Math.min(tileKeyEnd, end));
    // Rows before the keys see none; rows among them see a part; rows after them see all.
    const first = keyEnd === keyStart ? end : Math.min(Math.max(row, keyStart), end);
    const last = Math.min(Math.max(first, keyEnd), end);
    if (first > row) {
      ranges.push({ rowStart: row, rowCount: first - row, keyStart, keyCount: 0, causal: false });
    }
    if (last > first) {
      ranges.push({
        rowStart: first,
        rowCount: last - first,
        keyStart,
        keyCount: last - keyStart,
        causal: true,
      });
    }
    if (end > last) {
      ranges.push({
        rowStart: last,
        rowCount: end - last,
        keyStart,
        keyCount: keyEnd - keyStart,
        causal: false,
      });
    }
    row = end;
  }
  return ranges;
}
