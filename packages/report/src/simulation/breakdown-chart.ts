import type { SimulationData } from "@libra/simulator";
import type { Chart, LegendEntry } from "../chart/chart.js";
import { stackedBars } from "../chart/stacked-bars.js";
import { formatSeconds } from "../format.js";
import { nameRow, nameWithLayout } from "./name-row.js";

const parts = [
  { key: "attention", label: "attention", color: "attention" },
  { key: "linear", label: "linear operators", color: "linear" },
  { key: "workers", label: "waiting inside the pool", color: "workers" },
  { key: "exchange", label: "exchange that nothing hides", color: "exchange" },
  { key: "pools", label: "waiting for other pools", color: "pools" },
  { key: "update", label: "gradients and optimizer", color: "update" },
] as const satisfies readonly (LegendEntry & { key: keyof SimulationData["breakdown"] })[];

const mostBars = 12;

/** What the mean step of each simulation goes to. */
export function breakdownChart(
  best: readonly SimulationData[],
  rows: readonly SimulationData[],
): Chart {
  const [first] = best;
  const alike = (row: SimulationData) =>
    row.layout.dp === first!.layout.dp && row.layout.cp === first!.layout.cp;
  const views = [view("each strategy at its best", best, nameRow)];
  const pools = rows.filter((row) => alike(row) && row.settings.pool !== undefined);
  if (pools.length > 1) views.push(view("Libra by pool size", pools.slice(0, mostBars), nameRow));
  const others = rows.filter((row) => !alike(row));
  if (others.length > 0) {
    views.push(view("other layouts", others.slice(0, mostBars), nameWithLayout));
  }
  return {
    id: "breakdown",
    title: "Where a step's time goes",
    summary:
      "Seconds of the mean step as means over all ranks. Attention and linear operators are work; everything else is what balance, exchange and the update cost.",
    views,
  };
}

function view(
  label: string,
  rows: readonly SimulationData[],
  nameOf: (row: SimulationData) => string,
) {
  const plain = rows.find(({ strategy }) => strategy === "ulysses");
  return stackedBars(
    label,
    parts,
    rows.map((row) => ({
      name: nameOf(row),
      note: `${formatSeconds(row.seconds)}${speed(row, plain)}`,
      seconds: parts.map(({ key }) => row.breakdown[key]),
    })),
  );
}

// Utilisation, not seconds: strategies that delay documents have steps of their own.
function speed(row: SimulationData, plain: SimulationData | undefined): string {
  if (plain === undefined || row === plain) return "";
  return `, ${(row.utilisation / plain.utilisation).toFixed(2)} × plain packing`;
}
