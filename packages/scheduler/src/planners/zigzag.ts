import { causalMask, paddedSegmentPairs } from "@libra/cost-model";
import type { SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlanner } from "../plan/tile-plan.js";
import {
  addRows,
  evenPart,
  evenShare,
  type GroupOptions,
  groupPlanner,
  type Part,
} from "./group-planner.js";

/**
 * Zigzag over the packed sequence: its rows in 2·C parts of equal length, worker `c` computes parts
 * `c` and `2·C − 1 − c` for all heads. Balanced for one document; blind to document borders.
 */
export function zigzag(options: GroupOptions = {}): TilePlanner {
  return groupPlanner(
    {
      name: "zigzag",
      splitsRows: true,
      parts: (lines, s) => zigzagParts(lines, [0, lines.rows(s)]),
      leastLoad: evenShare,
    },
    options,
  );
}

/** Options of {@link perDocument}. */
export interface PerDocumentOptions extends GroupOptions {
  /**
   * Choose per sequence between zigzag per document and over the whole sequence, whichever has the
   * lower slowest worker when rows are padded to the kernel's block; false by default.
   */
  readonly adaptive?: boolean;
}

/**
 * Zigzag of every document on its own (WLB-LLM's fine-grained sharding): each document in 2·C parts,
 * worker `c` computes parts `c` and `2·C − 1 − c`. Balanced for any documents, but short documents
 * become parts smaller than the kernel's block.
 */
export function perDocument(options: PerDocumentOptions = {}): TilePlanner {
  return groupPlanner(
    {
      name: "perDocument",
      splitsRows: true,
      parts(lines, s) {
        const fine = zigzagParts(lines, lines.input.sequences[s]!);
        if (options.adaptive !== true) return fine;
        const coarse = zigzagParts(lines, [0, lines.rows(s)]);
        return slowest(lines, s, coarse) < slowest(lines, s, fine) ? coarse : fine;
      },
      leastLoad: evenShare,
    },
    options,
  );
}

function zigzagParts(lines: SequenceLines, borders: ArrayLike<number>): Part[][] {
  const { cp } = lines.input;
  return Array.from({ length: cp }, (_, c) => {
    const parts: Part[] = [];
    for (let d = 0; d + 1 < borders.length; d++) {
      const rows = borders[d + 1]! - borders[d]!;
      for (const index of [c, 2 * cp - 1 - c]) {
        const [start, end] = evenPart(rows, 2 * cp, index);
        addRows(parts, lines.heads.queryHeads, borders[d]! + start, borders[d]! + end);
      }
    }
    return parts;
  });
}

// Padded pairs of one head of the slowest worker.
function slowest(lines: SequenceLines, s: number, workers: readonly (readonly Part[])[]): number {
  const cuSeqlens = lines.input.sequences[s]!;
  let most = 0;
  for (const parts of workers) {
    let pairs = 0;
    for (const [, , rowStart, rowEnd] of parts) {
      for (let row = rowStart; row < rowEnd; ) {
        const document = lines.documentStart(s, row);
        const next = cuSeqlens.find((border) => border > row)!;
        const end = Math.min(rowEnd, next);
        const keys = end - document;
        pairs += paddedSegmentPairs(causalMask, end - row, keys, lines.cost.rowBlock);
        row = end;
      }
    }
    most = Math.max(most, pairs);
  }
  return most;
}
