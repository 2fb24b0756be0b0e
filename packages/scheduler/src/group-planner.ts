import { requireInteger } from "@libra/base";
import { ChunkWriter } from "./chunk-writer.js";
import { sealPlan } from "./plan-report.js";
import type { PoolInput } from "./pool-input.js";
import { SequenceLines } from "./sequence-lines.js";
import type { TilePlan, TilePlanner } from "./tile-plan.js";
import { TileTable } from "./tile-table.js";

/** Options of planners that stay inside the group. */
export interface GroupOptions {
  /** Pipeline stages; 4 by default. */
  readonly chunks?: number;
}

/** Heads × rows of a worker's home sequence. */
export type Part = readonly [headStart: number, headEnd: number, rowStart: number, rowEnd: number];

/** What a planner inside the group says about itself. */
export interface GroupRule {
  name: string;
  splitsRows: boolean;
  /** What worker `cpIndex` computes of sequence `s`, in the order of execution. */
  parts(lines: SequenceLines, s: number, cpIndex: number): readonly Part[];
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
    const group = lines.heads.queryHeads / lines.heads.kvHeads;
    let leastFinish = 0;
    for (let s = 0; s < lines.poolSize; s++) {
      let fastest = 0;
      for (let c = 0; c < input.cp; c++) {
        const w = s * input.cp + c;
        fastest = Math.max(fastest, input.speed?.[w] ?? 1);
        const parts = rule.parts(lines, s, c);
        let load = 0;
        for (const [headStart, headEnd, rowStart, rowEnd] of parts) {
          load += (headEnd - headStart) * (lines.costAt(s, rowEnd) - lines.costAt(s, rowStart));
        }
        writer.begin(w, load, chunks, group);
        for (const [headStart, headEnd, rowStart, rowEnd] of parts) {
          const startCost = lines.costAt(s, rowStart);
          writer.push(s, headStart, headEnd, rowStart, rowEnd, startCost, lines.costAt(s, rowEnd));
        }
        loads[w] = writer.end();
      }
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

/** The `index`-th of `count` parts of `total` whose sizes differ by at most 1, larger first. */
export function evenPart(total: number, count: number, index: number): [number, number] {
  const size = Math.floor(total / count);
  const larger = total % count;
  const start = index * size + Math.min(index, larger);
  return [start, start + size + (index < larger ? 1 : 0)];
}
