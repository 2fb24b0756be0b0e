import type { SimulationData } from "@libra/simulator";
import type { Chart } from "../chart/chart.js";
import { waitMatrix } from "../chart/wait-matrix.js";
import { typicalStep } from "../read/read-simulation.js";
import { nameRank } from "./lane-plan.js";
import { nameRow } from "./name-row.js";
import { waitsOf } from "./waits.js";

/** Who waits for whom. */
export function waitingChart(best: readonly SimulationData[]): Chart {
  return {
    id: "waiting",
    title: "Who waits for whom",
    summary:
      "Rows: ranks that wait, those that wait longest; columns: the ranks they wait for. Inside a pool all wait for its busiest rank; when a pool is done it waits for the slowest rank of the pool that ends last.",
    views: best.map((row) =>
      waitMatrix(nameRow(row), waitsOf(row, typicalStep(row)), (place) =>
        nameRank(place, row.layout.tp),
      ),
    ),
  };
}
