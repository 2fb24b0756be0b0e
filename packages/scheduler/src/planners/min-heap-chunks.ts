import { requireInteger } from "@libra/base";
import type { SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlanner } from "../plan/tile-plan.js";
import { addRows, evenShare, type GroupOptions, groupPlanner, type Part } from "./group-planner.js";

/** Options of {@link minHeapChunks}. */
export interface MinHeapChunksOptions extends GroupOptions {
  /** Rows of a piece; 512 by default. */
  readonly pieceRows?: number;
}

/**
 * MagiAttention's dispatch: the sequence in pieces of equal length, costliest first to the worker
 * with the least work that still has room; every worker of the group gets equally many pieces (up to
 * one), so tokens stay balanced too.
 */
export function minHeapChunks(options: MinHeapChunksOptions = {}): TilePlanner {
  const pieceRows = requireInteger(options.pieceRows ?? 512, "pieceRows", 1);
  return groupPlanner(
    {
      name: "minHeapChunks",
      splitsRows: true,
      parts: (lines, s) => dispatch(lines, s, pieceRows),
      leastLoad: evenShare,
    },
    options,
  );
}

function dispatch(lines: SequenceLines, s: number, pieceRows: number): Part[][] {
  const rows = lines.rows(s);
  const { cp } = lines.input;
  const count = Math.ceil(rows / pieceRows);
  const room = Math.ceil(count / cp);
  const end = (piece: number) => Math.min(rows, (piece + 1) * pieceRows);
  const cost = Float64Array.from(
    { length: count },
    (_, piece) => lines.costAt(s, end(piece)) - lines.costAt(s, piece * pieceRows),
  );
  const order = Int32Array.from({ length: count }, (_, piece) => piece);
  order.sort((a, b) => cost[b]! - cost[a]! || a - b);
  const load = new Float64Array(cp);
  const held = new Int32Array(cp);
  const owner = new Int32Array(count);
  for (const piece of order) {
    let best = -1;
    for (let c = 0; c < cp; c++) {
      if (held[c]! < room && (best < 0 || load[c]! < load[best]!)) best = c;
    }
    owner[piece] = best;
    held[best]!++;
    load[best]! += cost[piece]!;
  }
  const parts: Part[][] = Array.from({ length: cp }, () => []);
  for (let piece = 0; piece < count; piece++) {
    addRows(parts[owner[piece]!]!, lines.heads.queryHeads, piece * pieceRows, end(piece));
  }
  return parts;
}
