import type { SimulationData } from "@libra/simulator";
import type { Part, Table } from "../chart/chart.js";
import { formatCount, formatSeconds, formatShare, formatTokens } from "../format.js";
import type { SimulationSet } from "../read/read-simulation.js";
import { breakdownChart } from "./breakdown-chart.js";
import { gainChart } from "./gain-chart.js";
import { bestRows, nameRow } from "./name-row.js";
import { skewChart } from "./skew-chart.js";
import { timelineChart } from "./timeline-chart.js";
import { waitingChart } from "./waiting-chart.js";
import { workloadChart } from "./workload-chart.js";

/** All about a simulation. */
export function simulationPart(set: SimulationSet): Part {
  const best = bestRows(set.rows, set.choice);
  const chosen = set.choice === undefined ? undefined : set.rows[set.choice];
  return {
    title: `Simulation ${set.name}`,
    facts: [...factsOf(best, chosen), ...set.scenario],
    notes: [...set.reasons, ...set.refused.map((text) => `Not possible: ${text}.`)],
    overview: overviewOf(set.rows),
    charts: [
      skewChart(set.rows),
      breakdownChart(best, set.rows),
      timelineChart(best),
      workloadChart(best),
      waitingChart(best),
      ...(set.gains.length > 0 ? [gainChart(set.gains)] : []),
    ],
  };
}

function factsOf(best: readonly SimulationData[], chosen: SimulationData | undefined) {
  const fastest = best.reduce((a, b) => (b.utilisation > a.utilisation ? b : a));
  const shown = chosen ?? fastest;
  const plain = best.find(({ strategy }) => strategy === "ulysses");
  const { layout, window } = shown;
  const { gpus, dp, cp, tp, pp } = layout;
  return [
    { label: chosen ? "recommended" : "fastest", value: nameRow(shown) },
    { label: "step", value: formatSeconds(shown.seconds) },
    ...(plain === undefined || plain === shown
      ? []
      : [
          {
            label: "over plain packing",
            value: `${(shown.utilisation / plain.utilisation).toFixed(2)} ×`,
          },
        ]),
    { label: "utilisation", value: formatShare(shown.utilisation) },
    { label: "GPUs", value: formatCount(gpus) },
    { label: "layout", value: layoutText(dp, cp, tp, pp) },
    { label: "window", value: formatTokens(window) },
  ];
}

function layoutText(dp: number, cp: number, tp: number, pp: number): string {
  const others = `${tp > 1 ? ` × tp ${tp}` : ""}${pp > 1 ? ` × pp ${pp}` : ""}`;
  return `dp ${dp} × cp ${cp}${others}`;
}

function overviewOf(rows: readonly SimulationData[]): Table {
  return {
    head: [
      "strategy",
      "GPUs",
      "dp × cp",
      "step",
      "tokens/s a GPU",
      "utilisation",
      "workerSkew",
      "stepSkew",
      "arrival",
      "moved",
    ],
    rows: rows.map((row) => [
      nameRow(row),
      formatCount(row.layout.gpus),
      `${row.layout.dp} × ${row.layout.cp}`,
      formatSeconds(row.seconds),
      formatCount(row.tokensPerGpuSecond),
      formatShare(row.utilisation),
      row.workerSkew.toFixed(3),
      row.stepSkew.toFixed(3),
      row.arrivalSkew.toFixed(3),
      formatShare(row.moved),
    ]),
  };
}
