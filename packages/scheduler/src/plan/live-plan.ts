import { blankPlan, fillReport, type PlanProperties, type WritablePlan } from "./plan-report.js";
import type { SequenceLines } from "./sequence-lines.js";
import { type TilePlan, tileColumns } from "./tile-plan.js";
import type { TileTable } from "./tile-table.js";

/**
 * One plan object that is written again and again over the planner's own buffers: nothing is
 * allocated while shapes stay the same. Its columns are longer than `count`.
 */
export class LivePlan {
  private plan: WritablePlan | null = null;

  update(
    lines: SequenceLines,
    table: TileTable,
    loads: Float64Array,
    properties: PlanProperties,
  ): TilePlan {
    const { input, workers } = lines;
    if (this.plan === null || this.plan.loads.length !== workers) {
      const values = () => new Float64Array(workers);
      this.plan = blankPlan({ ...table.columns, cost: table.cost }, values(), values(), values());
    }
    const { plan } = this;
    for (const name of tileColumns) plan[name] = table.columns[name];
    plan.cost = table.cost;
    for (let w = 0; w < workers; w++) {
      plan.speed[w] = input.speed === undefined ? 1 : input.speed[w]!;
      plan.base[w] = input.base === undefined ? 0 : input.base[w]!;
      plan.loads[w] = loads[w]!;
    }
    fillReport(plan, lines, table, properties);
    return plan;
  }
}
