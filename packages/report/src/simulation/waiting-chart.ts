import type { SimulationData, StepData } from "@libra/simulator";
import type { Chart } from "../chart/chart.js";
import { type Wait, waitMatrix } from "../chart/wait-matrix.js";
import { typicalStep } from "../read/read-simulation.js";
import { groupsOf, nameRank, placesOf } from "./lane-plan.js";
import { nameRow } from "./name-row.js";
import { waitsOf } from "./waits.js";

/** Who waits for whom. */
export function waitingChart(best: readonly SimulationData[]): Chart {
  return {
    id: "waiting",
    title: "Who waits for whom",
    summary:
      "Rows: who waits, those that wait longest (of many ranks: their pools, as means over their ranks); columns: the ranks they wait for. Inside a pool all wait for its busiest rank; when a pool is done it waits for the slowest rank of the pool that ends last.",
    views: best.map(view),
  };
}

const mostRanks = 24;

function view(row: SimulationData) {
  const step = typicalStep(row);
  const waits = waitsOf(row, step);
  const rank = (place: number) => nameRank(place, row.layout.tp);
  const pools = row.layout.pp * placesOf(row) > mostRanks ? poolsOf(row, step) : undefined;
  if (pools === undefined) return waitMatrix(nameRow(row), waits, rank);
  const { poolOf, names, ranks } = pools;
  const means = waits.map(({ waiting, waitedFor, seconds }): Wait => {
    const pool = poolOf[waiting]!;
    return { waiting: pool, waitedFor, seconds: seconds / ranks[pool]! };
  });
  return waitMatrix(nameRow(row), means, rank, (pool) => names[pool]!);
}

/** Pools by place; none where there is one for all, or where ranks change pools inside the step. */
function poolsOf(row: SimulationData, step: StepData) {
  const places = placesOf(row);
  const groups = groupsOf(step);
  const poolOf = new Map<number, number>();
  groups.forEach(({ stage, positions }, pool) => {
    for (const position of positions) poolOf.set(stage * places + position, pool);
  });
  const members = groups.reduce((sum, { positions }) => sum + positions.length, 0);
  if (groups.length === 1 || members !== poolOf.size) return undefined;
  return {
    poolOf: Object.fromEntries(poolOf) as Record<number, number>,
    ranks: groups.map(({ positions }) => positions.length),
    names: groups.map(({ stage, number }) =>
      row.layout.pp > 1 ? `stage ${stage}, pool ${number}` : `pool ${number}`,
    ),
  };
}
