import type { SimulationData } from "@libra/simulator";
import type { Chart } from "../chart/chart.js";
import { histogram } from "../chart/histogram.js";
import { typicalStep } from "../read/read-simulation.js";
import { nameRow, strategyColor } from "./name-row.js";

/** How attention spreads over ranks. */
export function workloadChart(best: readonly SimulationData[]): Chart {
  const distributions = best.map((row) => {
    const { attention } = typicalStep(row).busy;
    const mean = attention.reduce((sum, seconds) => sum + seconds, 0) / attention.length;
    return {
      name: nameRow(row),
      color: strategyColor(row.strategy),
      values: attention.map((seconds) => (mean === 0 ? 1 : seconds / mean)),
    };
  });
  return {
    id: "workload",
    title: "Workload of ranks",
    summary:
      "Time in attention kernels of every rank over one step, relative to the mean of all ranks. All bars at 1: perfectly even. What stands right of 1 is what the others wait for.",
    views: [histogram("workload", "attention ÷ mean", "ranks", distributions)],
  };
}
