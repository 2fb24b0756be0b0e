import type { Chart } from "../chart/chart.js";
import { linePoints, type Series } from "../chart/line-points.js";
import type { RunData, RunStep } from "../read/read-run.js";

/** Skew of every step before and after balancing. */
export function runSkewChart(run: RunData): Chart {
  const series = (name: string, color: Series["color"], pick: (step: RunStep) => number) => ({
    name,
    color,
    points: run.steps.map((step) => ({
      x: step.step,
      y: pick(step),
      note: `step ${step.step}, skew ${pick(step).toFixed(3)}`,
    })),
  });
  return {
    id: "skew",
    title: "Skew, step by step",
    summary:
      "Time of a step ÷ mean work of a rank, both in planning cost: what waiting costs. Before: sequences in arrival order, each at home. After: the plans that ran. 1 means that nobody waits.",
    views: [
      linePoints(
        [
          series("before: plain packing", "plain", ({ skewBefore }) => skewBefore),
          series("after: the plans that ran", "attention", ({ skewAfter }) => skewAfter),
        ],
        { label: "skew", xLabel: "step", yLabel: "skew", floor: 1 },
      ),
    ],
  };
}

/** Loss, and time, of every step. */
export function runProgressChart(run: RunData): Chart {
  const view = (label: string, yLabel: string, pick: (step: RunStep) => number) =>
    linePoints(
      [
        {
          name: label,
          color: "attention",
          points: run.steps.map((step) => ({
            x: step.step,
            y: pick(step),
            note: `step ${step.step}, ${yLabel} ${pick(step).toPrecision(4)}`,
          })),
        },
      ],
      { label, legend: [], xLabel: "step", yLabel },
    );
  return {
    id: "progress",
    title: "Loss and speed",
    summary: "Mean loss over the valid targets of each step, its speed and its time.",
    views: [
      view("loss", "loss", ({ loss }) => loss),
      view("speed", "tokens a second", ({ tokensPerSecond }) => tokensPerSecond),
      view("time of a step", "milliseconds", ({ milliseconds }) => milliseconds),
    ],
  };
}
