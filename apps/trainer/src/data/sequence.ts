// Rows of a packed sequence as one rank holds them. Ranges of typed arrays are copied whole; nothing
// here walks over tokens.
import { cuSeqlensOf, type StepPlan } from "@libra/sampler";
import type { OwnedRows } from "@libra/topology";
import type { TokenColumns } from "../files/indexed-dataset.js";

/** Target of a row that predicts nothing: what the cross-entropy ignores. */
export const noTarget = -100;

/** The owned rows of one packed sequence, in the order of their intervals. */
export interface SequenceRows {
  /** Token ids, one per owned row. */
  readonly ids: Int32Array;
  /** Positions from the start of each segment. */
  readonly positions: Int32Array;
  /** The next token of the same segment; {@link noTarget} at a segment's end and for fillers. */
  readonly targets: Int32Array;
}

/**
 * The packed sequence of a slot: segments of documents, each cut off from the others. A piece that
 * packing cut from a document counts as a document of its own.
 *
 * @param plan - step plan; its document numbers index `documents`
 * @param slot - microStep · dp + replica
 */
export function wholeSequence(plan: StepPlan, slot: number, documents: TokenColumns): SequenceRows {
  const cuSeqlens = cuSeqlensOf(plan, slot);
  const rows = cuSeqlens[cuSeqlens.length - 1]!;
  const ids = new Int32Array(rows);
  const positions = new Int32Array(rows);
  const targets = new Int32Array(rows).fill(noTarget);
  const counted = plan.weight[slot] === 1;
  const first = plan.segmentOffsets[slot]!;
  for (let segment = first; segment < plan.segmentOffsets[slot + 1]!; segment += 1) {
    const row = cuSeqlens[segment - first]!;
    const length = plan.segmentLength[segment]!;
    const start = documents.offsets[plan.segmentDocument[segment]!]! + plan.segmentStart[segment]!;
    ids.set(documents.ids.subarray(start, start + length), row);
    positions.set(counting(length), row);
    if (counted) targets.set(documents.ids.subarray(start + 1, start + length), row);
  }
  return { ids, positions, targets };
}

/**
 * The rows that one rank of the CP group owns. Targets were shifted before, so none is lost at the
 * border of a shard.
 */
export function ownedRowsOf(whole: SequenceRows, owned: OwnedRows, cpIndex: number): SequenceRows {
  const intervals: [number, number][] = [];
  for (let i = owned.offsets[cpIndex]!; i < owned.offsets[cpIndex + 1]!; i += 1) {
    intervals.push([owned.starts[i]!, owned.ends[i]!]);
  }
  return {
    ids: pick(whole.ids, intervals),
    positions: pick(whole.positions, intervals),
    targets: pick(whole.targets, intervals),
  };
}

function pick(column: Int32Array, intervals: readonly (readonly [number, number])[]): Int32Array {
  const rows = intervals.reduce((sum, [start, end]) => sum + end - start, 0);
  const picked = new Int32Array(rows);
  let row = 0;
  for (const [start, end] of intervals) {
    picked.set(column.subarray(start, end), row);
    row += end - start;
  }
  return picked;
}

let numbers = new Int32Array(0);

/** 0, 1, … length − 1, a view of one array that grows when it must. */
function counting(length: number): Int32Array {
  if (numbers.length < length) {
    numbers = Int32Array.from({ length: Math.max(length, 2 * numbers.length) }, (_, i) => i);
  }
  return numbers.subarray(0, length);
}
