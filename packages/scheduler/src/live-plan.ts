import { fillReport, type PlanProperties, type WritablePlan } from "./plan-report.js";
import type { SequenceLines } from "./sequence-lines.js";
import { type TilePlan, tileColumns } from "./tile-plan.js";
import type { TileTable } from "./tile-table.js";

/**
 * One plan object that is written again and again over the planner's own buffers: nothing is
 * allocated while shapes stay the same. Its columns are longer than `count`.
 */
export class LivePlan {
  private readonly plan = {} as WritablePlan;
  private workers = -1;

  update(
    lines: SequenceLines,
    table: TileTable,
    loads: Float64Array,
    properties: PlanProperties,
  ): TilePlan {
    const { plan } = this;
    const { input, workers } = lines;
    for (const name of tileColumns) plan[name] = table.columns[name];
    plan.cost = table.cost;
    if (this.workers !== workers) {
      this.workers = workers;
      plan.speed = new Float64Array(workers);
      plan.base = new Float64Array(workers);
      plan.loads = new Float64Array(workers);
    }
    for (let w = 0; w < workers; w++) {
      plan.speed[w] = input.speed === undefined ? 1 : input.speed[w]!;
      plan.base[w] = input.base === undefined ? 0 : input.base[w]!;
      plan.loads[w] = loads[w]!;
    }
    fillReport(plan, lines, table, properties);
    return plan;
  }
}
