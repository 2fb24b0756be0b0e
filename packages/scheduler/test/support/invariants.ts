import { documentCost } from "@libra/cost-model";
import { expect } from "vitest";
import type { PoolInput, TilePlan } from "../../src/index.js";

/** Every (sequence, head, row) in exactly one tile, keys complete, table sorted, loads exact. */
export function checkPlan(input: PoolInput, plan: TilePlan): void {
  const { queryHeads } = plan.heads;
  const covered = input.sequences.map((cu) => new Uint8Array(cu[cu.length - 1]! * queryHeads));
  const loads = new Float64Array(plan.workers);
  for (let t = 0; t < plan.count; t++) {
    const s = plan.sequence[t]!;
    const rowEnd = plan.rowStart[t]! + plan.rowCount[t]!;
    expect(plan.rowCount[t]! * plan.headCount[t]!).toBeGreaterThan(0);
    expect(plan.keyStart[t]).toBe(documentStart(input.sequences[s]!, plan.rowStart[t]!));
    expect(plan.keyStart[t]! + plan.keyCount[t]!).toBe(rowEnd);
    expect(plan.chunk[t]).toBeLessThan(plan.chunks);
    for (let row = plan.rowStart[t]!; row < rowEnd; row++) {
      for (let h = 0; h < plan.headCount[t]!; h++) {
        covered[s]![row * queryHeads + plan.headStart[t]! + h]!++;
      }
    }
    loads[plan.worker[t]!]! += plan.cost[t]!;
    if (t > 0) expect(tileOrder(plan, t - 1, t)).toBeLessThan(0);
  }
  for (const rows of covered) expect(rows.every((times) => times === 1)).toBe(true);
  expect(loads).toEqual(plan.loads);
  const total = input.sequences.reduce((sum, cu) => {
    for (let i = 1; i < cu.length; i++) {
      sum += queryHeads * documentCost(input.cost, cu[i]! - cu[i - 1]!);
    }
    return sum;
  }, 0);
  expect(plan.total).toBe(total);
  expect(plan.loads.reduce((a, b) => a + b, 0)).toBe(total);
  expect(plan.workerSkew).toBeGreaterThanOrEqual(plan.bound * (1 - 1e-12));
}

/** Row cuts of a plan lie on row block borders counted from their document's start. */
export function checkRowBorders(input: PoolInput, plan: TilePlan): void {
  for (let t = 0; t < plan.count; t++) {
    const cu = input.sequences[plan.sequence[t]!]!;
    for (const row of [plan.rowStart[t]!, plan.rowStart[t]! + plan.rowCount[t]!]) {
      if (cu.includes(row)) continue;
      expect((row - documentStart(cu, row)) % plan.rowBlock).toBe(0);
    }
  }
}

function documentStart(cu: Int32Array, row: number): number {
  let start = 0;
  for (const border of cu.subarray(0, -1)) if (border <= row) start = border;
  return start;
}

function tileOrder(plan: TilePlan, a: number, b: number): number {
  return (
    plan.worker[a]! - plan.worker[b]! ||
    plan.chunk[a]! - plan.chunk[b]! ||
    plan.sequence[a]! - plan.sequence[b]! ||
    plan.headStart[a]! - plan.headStart[b]! ||
    plan.rowStart[a]! - plan.rowStart[b]! ||
    plan.keyStart[a]! - plan.keyStart[b]!
  );
}
