import { requireInteger } from "@libra/base";
import { ChunkWriter } from "../plan/chunk-writer.js";
import { sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";

/** Options of planners that stay inside the group. */
export interface GroupOptions {
  /** Pipeline stages; 4 by default. */
  readonly chunks?: number;
}

/** Heads × rows of a sequence. */
export type Part = readonly [headStart: number, headEnd: number, rowStart: number, rowEnd: number];

/** What a planner inside the group says about itself. */
export interface GroupRule {
  name: string;
  splitsRows: boolean;
  /** What each worker of the group computes of sequence `s`, in the order of execution. */
  parts(lines: SequenceLines, s: number): readonly (readonly Part[])[];
  /** Greatest load that no worker assignment of this kind can avoid in sequence `s`. */
  leastLoad(lines: SequenceLines, s: number): number;
}

/** Makes a planner whose workers compute parts of their own group's sequence only. */
export function groupPlanner(rule: GroupRule, options: GroupOptions): TilePlanner {
  const chunks = requireInteger(options.chunks ?? 4, "chunks", 1, 1024);
  const lines = new SequenceLines();
  const table = new TileTable();
  const writer = new ChunkWriter(lines, table);

  function plan(input: PoolInput): TilePlan {
    lines.load(input);
    table.clear();
    const loads = new Float64Array(lines.workers);
    let leastFinish = 0;
    for (let s = 0; s < lines.poolSize; s++) {
      let fastest = 0;
      rule.parts(lines, s).forEach((parts, c) => {
        const w = s * input.cp + c;
        fastest = Math.max(fastest, input.speed?.[w] ?? 1);
        loads[w] = writeParts(lines, writer, w, chunks, s, parts);
      });
      leastFinish = Math.max(leastFinish, rule.leastLoad(lines, s) / fastest);
    }
    return sealPlan(lines, table, loads, { planner: rule.name, chunks, leastFinish });
  }

  return Object.freeze({
    name: rule.name,
    scope: "group",
    splitsRows: rule.splitsRows,
    needsKeyRanges: false,
    changesStep: false,
    plan,
  });
}

/** Writes one worker's parts of one sequence as chunked tiles; returns their planning cost. */
function writeParts(
  lines: SequenceLines,
  writer: ChunkWriter,
  worker: number,
  chunks: number,
  sequence: number,
  parts: readonly Part[],
): number {
  let load = 0;
  for (const [headStart, headEnd, rowStart, rowEnd] of parts) {
    const rows = lines.costAt(sequence, rowEnd) - lines.costAt(sequence, rowStart);
    load += (headEnd - headStart) * rows;
  }
  writer.begin(worker, load, chunks, lines.heads.queryHeads / lines.heads.kvHeads);
  for (const [headStart, headEnd, rowStart, rowEnd] of parts) {
    const startCost = lines.costAt(sequence, rowStart);
    const endCost = lines.costAt(sequence, rowEnd);
    writer.push(sequence, headStart, headEnd, rowStart, rowEnd, startCost, endCost);
  }
  return writer.end();
}

/** Adds all heads of a row range to a worker's parts, joined with the part before if they touch. */
export function addRows(parts: Part[], queryHeads: number, rowStart: number, rowEnd: number): void {
  if (rowStart >= rowEnd) return;
  const last = parts[parts.length - 1];
  if (last !== undefined && last[3] === rowStart) {
    parts[parts.length - 1] = [0, queryHeads, last[2], rowEnd];
  } else parts.push([0, queryHeads, rowStart, rowEnd]);
}

/** The `index`-th of `count` parts of `total` whose sizes differ by at most 1, larger first. */
export function evenPart(total: number, count: number, index: number): [number, number] {
  const size = Math.floor(total / count);
  const larger = total % count;
  const start = index * size + Math.min(index, larger);
  return [start, start + size + (index < larger ? 1 : 0)];
}

/** Least load of a sequence whose rows and heads are shared by its group without limits. */
export function evenShare(lines: SequenceLines, s: number): number {
  return (lines.headCost(s) * lines.heads.queryHeads) / lines.input.cp;
}
