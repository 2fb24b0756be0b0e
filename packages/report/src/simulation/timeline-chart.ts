import type { SimulationData } from "@libra/simulator";
import type { Chart, LegendEntry } from "../chart/chart.js";
import { lanesView } from "../chart/lanes.js";
import { formatCount } from "../format.js";
import { typicalStep } from "../read/read-simulation.js";
import { lanePlan } from "./lane-plan.js";
import { nameRow } from "./name-row.js";

const legend: readonly LegendEntry[] = [
  { label: "forward of a pool; attention of a rank", color: "attention" },
  { label: "backward of a pool", color: "exchange" },
  { label: "linear operators", color: "linear" },
  { label: "exchange and waiting inside the pool", color: "workers" },
  { label: "waiting for other pools", color: "pools" },
  { label: "gradients and optimizer", color: "update" },
];

/** A step as lanes of pools and of their ranks. */
export function timelineChart(best: readonly SimulationData[]): Chart {
  const plans = best.map((row) => ({ row, plan: lanePlan(row, typicalStep(row)) }));
  const views = plans.map(({ row, plan }) => lanesView(nameRow(row), plan.lanes, legend));
  const cut = plans
    .filter(({ plan }) => plan.ranksShown < plan.ranks)
    .map(
      ({ row, plan }) =>
        `${nameRow(row)} ${plan.poolsShown} of ${formatCount(plan.pools)} pools, ${plan.ranksShown} of ${formatCount(plan.ranks)} ranks`,
    );
  const shown = cut.length === 0 ? "" : ` Drawn: ${cut.join("; ")}.`;
  return {
    id: "timeline",
    title: "Timeline of a step",
    summary: `The step nearest to the mean: a lane for each pool with its passes, and below it one for each of its ranks. A rank's part of a pass is drawn in proportion to what it computes over the whole step.${shown}`,
    views,
  };
}
