import type { BlockList, ExchangeProgram } from "@libra/scheduler";
import { bufferIds } from "@libra/scheduler";

/** Vectors `start` to `end` (exclusive) of a tensor. */
export type VectorRange = readonly [start: number, end: number];

/** Key vectors of staging that arrive with a chunk, in ascending ranges. */
export function arrivingKeys(program: ExchangeProgram, chunk: number): readonly VectorRange[] {
  return rangesOf(program.chunks[chunk]!.dispatch.map((hop) => hop.key.receive));
}

/** Key vectors of staging that leave with a chunk, in ascending ranges. */
export function leavingKeys(program: ExchangeProgram, chunk: number): readonly VectorRange[] {
  return rangesOf(program.chunks[chunk]!.return.map((hop) => hop.key.send));
}

/** The lists' vectors of the transfer's own end; their blocks are runs of consecutive vectors. */
function rangesOf(lists: readonly BlockList[]): readonly VectorRange[] {
  const runs = lists.flatMap((list) =>
    Array.from(list.offset, (start, block): VectorRange => {
      const own = list.buffer[block] === bufferIds.end;
      return [start, own ? start + list.rows[block]! * list.width[block]! : start];
    }),
  );
  const ranges: [number, number][] = [];
  for (const [start, end] of runs.sort((a, b) => a[0] - b[0])) {
    const last = ranges.at(-1);
    if (last?.[1] === start) last[1] = end;
    else if (end > start) ranges.push([start, end]);
  }
  return ranges;
}
