import { sealPlan } from "../plan/plan-report.js";
import type { PoolInput } from "../plan/pool-input.js";
import { documentOfRow, SequenceLines } from "../plan/sequence-lines.js";
import type { TilePlan, TilePlanner } from "../plan/tile-plan.js";
import { TileTable } from "../plan/tile-table.js";
import { evenShare } from "./group-planner.js";

/**
 * Ring attention: every rank keeps its own rows, keys and values go round its group; step `k` (chunk
 * `k`) meets the rows of rank `c` with the keys of rank `c − k`, and partial results are merged by
 * log-sum-exp. Balance is that of the owned rows.
 */
export function ring(): TilePlanner {
  const lines = new SequenceLines();
  const table = new TileTable();

  function plan(input: PoolInput): TilePlan {
    lines.load(input);
    table.clear();
    const loads = new Float64Array(lines.workers);
    let leastFinish = 0;
    for (let s = 0; s < lines.poolSize; s++) {
      let fastest = 0;
      for (let c = 0; c < input.cp; c++) {
        const w = s * input.cp + c;
        fastest = Math.max(fastest, input.speed?.[w] ?? 1);
        const first = table.count;
        for (let step = 0; step < input.cp; step++) pushStep(lines, table, s, c, step);
        loads[w] = shareCost(lines, table, s, c, first);
      }
      leastFinish = Math.max(leastFinish, evenShare(lines, s) / fastest);
    }
    table.sort();
    const properties = { planner: "ring", chunks: input.cp, keyRanges: true, leastFinish };
    return sealPlan(lines, table, loads, properties);
  }

  return Object.freeze({
    name: "ring",
    scope: "group",
    splitsRows: true,
    needsKeyRanges: true,
    changesStep: false,
    plan,
  });
}

// Own intervals against the keys of one other rank; only rows that see one of the keys.
function pushStep(
  lines: SequenceLines,
  table: TileTable,
  s: number,
  c: number,
  step: number,
): void {
  const { cp } = lines.input;
  const owned = lines.input.owned[s]!;
  const cuSeqlens = lines.input.sequences[s]!;
  const from = (c - step + cp) % cp;
  const worker = s * cp + c;
  const { queryHeads } = lines.heads;
  for (let i = owned.offsets[c]!; i < owned.offsets[c + 1]!; i++) {
    const first = lines.documentStart(s, owned.starts[i]!);
    for (let j = owned.offsets[from]!; j < owned.offsets[from + 1]!; j++) {
      const keyStart = Math.max(first, owned.starts[j]!);
      const keyEnd = Math.min(owned.ends[i]!, owned.ends[j]!);
      if (keyStart >= keyEnd) continue;
      const rowStart = Math.max(owned.starts[i]!, keyStart);
      const lastDocument = documentOfRow(cuSeqlens, keyEnd - 1);
      const rowEnd = Math.min(owned.ends[i]!, cuSeqlens[lastDocument + 1]!);
      const pairs = queryHeads * visiblePairs(cuSeqlens, rowStart, rowEnd, keyStart, keyEnd);
      table.push(worker, step, s, 0, queryHeads, rowStart, rowEnd, keyStart, keyEnd, pairs);
    }
  }
}

/** (row, key) pairs that causal attention inside documents sees in a rectangle. */
function visiblePairs(
  cuSeqlens: Int32Array,
  rowStart: number,
  rowEnd: number,
  keyStart: number,
  keyEnd: number,
): number {
  let pairs = 0;
  let row = rowStart;
  for (let d = documentOfRow(cuSeqlens, row); row < rowEnd; d++) {
    const end = Math.min(rowEnd, cuSeqlens[d + 1]!);
    const first = Math.max(keyStart, cuSeqlens[d]!);
    // Below keyEnd a row sees the keys up to itself, from there on all of them.
    const middle = Math.min(end, Math.max(row, keyEnd));
    if (first < keyEnd) {
      const low = Math.max(row, first);
      if (low < middle) pairs += triangle(middle - first) - triangle(low - first);
      pairs += (end - middle) * (keyEnd - first);
    }
    row = end;
  }
  return pairs;
}

const triangle = (rows: number) => (rows * (rows + 1)) / 2;

// The cost of the owned rows, shared among their tiles by visible pairs so that it adds up exactly.
function shareCost(
  lines: SequenceLines,
  table: TileTable,
  s: number,
  c: number,
  first: number,
): number {
  const owned = lines.input.owned[s]!;
  let load = 0;
  for (let i = owned.offsets[c]!; i < owned.offsets[c + 1]!; i++) {
    load += lines.costAt(s, owned.ends[i]!) - lines.costAt(s, owned.starts[i]!);
  }
  load *= lines.heads.queryHeads;
  let pairs = 0;
  for (let t = first; t < table.count; t++) pairs += table.cost[t]!;
  let seen = 0;
  let given = 0;
  for (let t = first; t < table.count; t++) {
    seen += table.cost[t]!;
    const upTo = seen === pairs ? load : Math.round(load * (seen / pairs));
    table.cost[t] = upTo - given;
    given = upTo;
  }
  return load;
}
