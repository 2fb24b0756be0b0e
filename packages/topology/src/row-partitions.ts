import { expected, LibraError, requireInteger } from "@libra/base";
import { requireCuSeqlens } from "./cu-seqlens.js";
import type { OwnedRows } from "./owned-rows.js";

type Interval = readonly [start: number, end: number];

/**
 * One interval per rank, in rank order; sizes differ by at most 1, larger first (case A10). With
 * fewer rows than ranks the last ranks own none.
 *
 * @param rows - rows of the packed sequence
 * @param cp - ranks of the CP group
 */
export function contiguousRows(rows: number, cp: number): OwnedRows {
  requireInteger(rows, "rows", 0, 2 ** 31 - 1);
  requireInteger(cp, "cp", 1);
  return pack(
    rows,
    Array.from({ length: cp }, (_, index) => [share(0, rows, cp, index)]),
  );
}

/**
 * Transformer Engine's zigzag: every document is cut into 2·C chunks, and rank `c` owns chunks `c`
 * and `2·C − 1 − c`. A document need not be a multiple of 2·C: its chunks differ by at most one row,
 * larger first. Chunks that touch become one interval.
 *
 * @param cuSeqlens - document borders of the packed sequence
 * @param cp - ranks `C` of the CP group
 */
export function zigzagRows(cuSeqlens: ArrayLike<number>, cp: number): OwnedRows {
  const borders = requireCuSeqlens(cuSeqlens);
  requireInteger(cp, "cp", 1);
  const intervals: Interval[][] = Array.from({ length: cp }, () => []);
  for (let document = 0; document + 1 < borders.length; document++) {
    for (let chunk = 0; chunk < 2 * cp; chunk++) {
      const owner = Math.min(chunk, 2 * cp - 1 - chunk);
      intervals[owner]!.push(share(borders[document]!, borders[document + 1]!, 2 * cp, chunk));
    }
  }
  return pack(borders[borders.length - 1]!, intervals);
}

/**
 * Any partition of a packed sequence's rows.
 *
 * @param rows - rows of the packed sequence
 * @param intervals - per cp index ascending disjoint `[start, end)`; empty intervals are dropped and
 *   touching ones joined
 * @throws LibraError `LAYOUT` that names the first row that has no owner or two
 */
export function customRows(
  rows: number,
  intervals: ReadonlyArray<ReadonlyArray<Interval>>,
): OwnedRows {
  requireInteger(rows, "rows", 0, 2 ** 31 - 1);
  if (intervals.length === 0) throw expected("at least one list", "intervals", intervals);
  const all: { start: number; end: number; cpIndex: number }[] = [];
  intervals.forEach((list, cpIndex) => {
    let previous = 0;
    list.forEach(([start, end], i) => {
      const name = `intervals[${cpIndex}][${i}]`;
      requireInteger(start, `${name} start`, previous, rows);
      requireInteger(end, `${name} end`, start, rows);
      if (end > start) all.push({ start, end, cpIndex });
      previous = end;
    });
  });
  all.sort((a, b) => a.start - b.start);
  let covered = 0;
  for (const { start, end, cpIndex } of all) {
    if (start > covered) throw unowned(covered, rows);
    if (start < covered) {
      const message = `Row ${start} of the packed sequence has two owners, one of them cp index ${cpIndex}`;
      throw new LibraError("LAYOUT", message, { details: { row: start, cpIndex } });
    }
    covered = end;
  }
  if (covered < rows) throw unowned(covered, rows);
  return pack(rows, intervals);
}

function unowned(row: number, rows: number): LibraError {
  const message = `Row ${row} of the packed sequence of ${rows} rows has no owner`;
  return new LibraError("LAYOUT", message, { details: { row, rows } });
}

// Part `index` of `[start, end)` cut into `parts` whose sizes differ by at most 1, larger first.
function share(start: number, end: number, parts: number, index: number): Interval {
  const size = Math.floor((end - start) / parts);
  const larger = (end - start) % parts;
  const from = start + index * size + Math.min(index, larger);
  return [from, from + size + (index < larger ? 1 : 0)];
}

function pack(rows: number, lists: ReadonlyArray<ReadonlyArray<Interval>>): OwnedRows {
  const offsets = new Int32Array(lists.length + 1);
  const starts: number[] = [];
  const ends: number[] = [];
  lists.forEach((list, cpIndex) => {
    for (const [start, end] of list) {
      if (start === end) continue;
      if (starts.length > offsets[cpIndex]! && ends.at(-1) === start) {
        ends[ends.length - 1] = end;
      } else {
        starts.push(start);
        ends.push(end);
      }
    }
    offsets[cpIndex + 1] = starts.length;
  });
  return Object.freeze({
    rows,
    cp: lists.length,
    offsets,
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ends),
  });
}
