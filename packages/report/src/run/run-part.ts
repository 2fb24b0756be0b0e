import type { Part } from "../chart/chart.js";
import { formatCount, formatSeconds, formatTokens } from "../format.js";
import type { RunData, RunStep } from "../read/read-run.js";
import { runReplayChart, runWaitingChart, runWorkloadChart } from "./run-balance-charts.js";
import { runProgressChart, runSkewChart } from "./run-steps-chart.js";
import { runBreakdownChart, runTimelineChart, typicalRunStep } from "./run-time-charts.js";

/** All about a training run. */
export function runPart(run: RunData): Part {
  return {
    title: `Run ${run.name}`,
    facts: factsOf(run),
    notes: run.notes,
    charts: [
      runSkewChart(run),
      runBreakdownChart(run),
      runTimelineChart(run),
      runWorkloadChart(run),
      runWaitingChart(run),
      ...(run.replay.length > 0 ? [runReplayChart(run)] : []),
      runProgressChart(run),
    ],
  };
}

/** Mean over the steps of a run. */
export function meanOver(steps: readonly RunStep[], pick: (step: RunStep) => number): number {
  return steps.reduce((sum, step) => sum + pick(step), 0) / steps.length;
}

function factsOf({ steps, layout }: RunData) {
  const first = steps[0]!;
  const last = steps[steps.length - 1]!;
  const skew = (pick: (step: RunStep) => number) => meanOver(steps, pick).toFixed(3);
  const facts = [
    {
      label: "skew, mean",
      value: `${skew((step) => step.skewBefore)} → ${skew((step) => step.skewAfter)}`,
    },
    { label: "step, median", value: formatSeconds(typicalRunStep(steps).milliseconds / 1e3) },
    {
      label: "tokens a second",
      value: formatCount(meanOver(steps, ({ tokensPerSecond }) => tokensPerSecond)),
    },
    { label: "loss", value: `${first.loss.toFixed(3)} → ${last.loss.toFixed(3)}` },
    { label: "steps", value: `${steps.length}` },
  ];
  if (layout === undefined) return facts;
  const { dp, cp, poolSize, window, planner } = layout;
  return [
    ...facts,
    { label: "layout", value: `dp ${dp} × cp ${cp}, P ${poolSize}` },
    { label: "window", value: formatTokens(window) },
    { label: "planner", value: planner },
  ];
}
