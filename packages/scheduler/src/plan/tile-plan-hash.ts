import { xxh64 } from "@libra/base";
import { type TilePlan, tileColumns } from "./tile-plan.js";

/** XXH64 of a plan's columns, loads, speeds and bases (16 hex digits): equal on every rank. */
export function tilePlanHash(plan: TilePlan): string {
  const { heads } = plan;
  const numbers = Int32Array.of(
    plan.workers,
    plan.cp,
    plan.chunks,
    heads.queryHeads,
    heads.kvHeads,
    heads.headDim,
    heads.valueDim,
    plan.rowBlock,
  );
  const columns = tileColumns.map((name) => plan[name].subarray(0, plan.count));
  return xxh64([
    numbers,
    ...columns,
    plan.cost.subarray(0, plan.count),
    plan.loads,
    plan.speed,
    plan.base,
  ]);
}
