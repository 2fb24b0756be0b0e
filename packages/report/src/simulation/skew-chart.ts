import type { SimulationData } from "@libra/simulator";
import type { Chart, View } from "../chart/chart.js";
import { linePoints, type Series } from "../chart/line-points.js";
import { seriesColors } from "../palette.js";
import { strategyColor } from "./name-row.js";

const levels = [
  { key: "workerSkew", label: "workerSkew" },
  { key: "stepSkew", label: "stepSkew" },
] as const;
type Level = (typeof levels)[number];

/** Skew against dp and against the pool size. */
export function skewChart(rows: readonly SimulationData[]): Chart {
  const dps = distinct(rows.map(({ layout }) => layout.dp));
  const byPool = levels.map((level) => againstPool(rows, level, dps));
  const byDp = levels.map((level) => againstDp(rows, level));
  const pools = rows.filter(({ settings }) => settings.pool !== undefined);
  // What varies comes first.
  const views: View[] =
    dps.length > 1 || pools.length === 0 ? [...byDp, ...byPool] : [...byPool, ...byDp];
  return {
    id: "skew",
    title: "Skew against dp and P",
    summary:
      "Largest ÷ mean attention work: 1 means that nobody waits. workerSkew is over all ranks, in the worst micro-step; stepSkew is over pools and a whole step.",
    views: views.filter(({ table }) => table.rows.length > 0),
  };
}

function againstDp(rows: readonly SimulationData[], { key, label }: Level): View {
  const series = distinct(rows.map(nameSeries)).map((name): Series => {
    const own = rows.filter((row) => nameSeries(row) === name);
    const points = own.map((row) => ({
      x: row.layout.dp,
      y: row[key],
      note: `dp ${row.layout.dp}, ${label} ${row[key].toFixed(3)}`,
    }));
    const { strategy, settings } = own[0]!;
    const series = { name, color: strategyColor(strategy), points: sorted(points) };
    return settings.pool === undefined ? series : { ...series, tag: `P ${settings.pool}` };
  });
  const strategies = distinct(rows.map(({ strategy }) => strategy));
  return linePoints(series, {
    label: `${label} against dp`,
    legend: strategies.map((strategy) => ({ label: strategy, color: strategyColor(strategy) })),
    xLabel: "dp",
    yLabel: label,
    doubling: true,
    floor: 1,
  });
}

function againstPool(rows: readonly SimulationData[], { key, label }: Level, dps: number[]): View {
  const series = dps.flatMap((dp, i): Series[] => {
    const points = rows
      .filter((row) => row.layout.dp === dp && row.strategy === "libra")
      .map((row) => ({
        x: Number(row.settings.pool),
        y: row[key],
        note: `dp ${dp}, P ${row.settings.pool}, ${label} ${row[key].toFixed(3)}`,
      }));
    if (points.length === 0) return [];
    const color = dps.length === 1 ? "attention" : seriesColors[i % seriesColors.length]!;
    return [{ name: `dp ${dp}`, color, points: sorted(points) }];
  });
  return linePoints(series, {
    label: `${label} against P`,
    xLabel: "P, replicas in a pool",
    yLabel: label,
    doubling: true,
    floor: 1,
  });
}

// Libra's pool sizes are lines of their own.
function nameSeries({ strategy, settings, layout }: SimulationData): string {
  const pool = settings.pool === undefined ? "" : ` P ${settings.pool}`;
  return `${strategy}${pool}, cp ${layout.cp}`;
}

function sorted<Point extends { x: number }>(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => a.x - b.x);
}

function distinct<Value>(values: readonly Value[]): Value[] {
  const unique = [...new Set(values)];
  return typeof unique[0] === "number" ? unique.sort((a, b) => Number(a) - Number(b)) : unique;
}
