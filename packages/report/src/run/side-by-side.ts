import type { Chart, Part } from "../chart/chart.js";
import { linePoints, type Series } from "../chart/line-points.js";
import { formatCount, formatSeconds } from "../format.js";
import { seriesColors } from "../palette.js";
import type { RunData } from "../read/read-run.js";
import { meanOver } from "./run-part.js";
import { typicalRunStep } from "./run-time-charts.js";

/** Several runs against each other: skew against dp and P, one row each. */
export function sideBySide(runs: readonly RunData[]): Part {
  return {
    title: "Runs side by side",
    facts: [{ label: "runs", value: `${runs.length}` }],
    notes: [],
    overview: {
      head: ["run", "planner", "dp × cp", "P", "step, median", "tokens/s", "skew before", "after"],
      rows: runs.map(({ name, steps, layout }) => [
        name,
        layout?.planner ?? "–",
        layout ? `${layout.dp} × ${layout.cp}` : "–",
        layout ? `${layout.poolSize}` : "–",
        formatSeconds(typicalRunStep(steps).milliseconds / 1e3),
        formatCount(meanOver(steps, ({ tokensPerSecond }) => tokensPerSecond)),
        meanOver(steps, ({ skewBefore }) => skewBefore).toFixed(3),
        meanOver(steps, ({ skewAfter }) => skewAfter).toFixed(3),
      ]),
    },
    charts: runs.some(({ layout }) => layout !== undefined) ? [skewOfRuns(runs)] : [],
  };
}

function skewOfRuns(runs: readonly RunData[]): Chart {
  const known = runs.flatMap((run) => (run.layout ? [{ ...run, layout: run.layout }] : []));
  const planners = [...new Set(known.map(({ layout }) => layout.planner))];
  const view = (label: string, xLabel: string, key: "dp" | "poolSize") => {
    const series = planners.map((planner, i): Series => {
      const points = known
        .filter(({ layout }) => layout.planner === planner)
        .map(({ name, steps, layout }) => {
          const y = meanOver(steps, ({ skewAfter }) => skewAfter);
          return { x: layout[key], y, note: `${name}, skew ${y.toFixed(3)}` };
        });
      return {
        name: planner,
        color: seriesColors[i % seriesColors.length]!,
        points: points.sort((a, b) => a.x - b.x),
      };
    });
    return linePoints(series, { label, xLabel, yLabel: "skew", doubling: true, floor: 1 });
  };
  return {
    id: "skew",
    title: "Skew against dp and P",
    summary: "Mean skew of each run's steps under the plans that ran. 1 means that nobody waits.",
    views: [view("against dp", "dp", "dp"), view("against P", "P, replicas in a pool", "poolSize")],
  };
}
