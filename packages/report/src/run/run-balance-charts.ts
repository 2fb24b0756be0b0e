import type { Chart } from "../chart/chart.js";
import { histogram } from "../chart/histogram.js";
import { stackedBars } from "../chart/stacked-bars.js";
import { type Wait, waitMatrix } from "../chart/wait-matrix.js";
import { formatSeconds } from "../format.js";
import type { RunData, RunStep } from "../read/read-run.js";

/** How work spreads: over ranks where the run kept them, over steps always. */
export function runWorkloadChart(run: RunData): Chart {
  const steps = histogram("skew of steps", "skew", "steps", [
    {
      name: "before: plain packing",
      color: "plain",
      values: run.steps.map(({ skewBefore }) => skewBefore),
    },
    {
      name: "after: the plans that ran",
      color: "attention",
      values: run.steps.map(({ skewAfter }) => skewAfter),
    },
  ]);
  const perRank = run.steps.flatMap(({ ranks }) => (ranks ? [relative(ranks.attention)] : []));
  const ranks = histogram("attention of ranks", "attention ÷ mean", "ranks", [
    { name: "measured", color: "attention", values: perRank.flat() },
  ]);
  return {
    id: "workload",
    title: "Workload",
    summary:
      "How uneven the steps would be in plain packing, and how even they were; the planned work of the slowest rank ÷ the mean.",
    views: perRank.length > 0 ? [ranks, steps] : [steps],
  };
}

function relative(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => (mean === 0 ? 1 : value / mean));
}

/** Who waits for whom, summed over the run's steps. */
export function runWaitingChart(run: RunData): Chart {
  const known = run.steps.every(({ ranks }) => ranks !== undefined);
  const all = run.steps.flatMap(waitsOfStep);
  const waits = all.filter(({ waiting, waitedFor }) => waiting !== waitedFor);
  return {
    id: "waiting",
    title: "Who waits for whom",
    summary: known
      ? "Each step's waiting of every rank beyond the rank that waits least, charged to the rank with most attention, summed over the run."
      : "In each step the rank that waits most, beyond the one that waits least, against the rank with most attention, summed over the run.",
    views: [waitMatrix("waiting", waits, (rank) => `rank ${rank}`)],
  };
}

function waitsOfStep({ attention, wait, ranks }: RunStep): Wait[] {
  const waits = ranks?.wait ?? [];
  const most = { waiting: wait.worst, waitedFor: attention.worst, seconds: excess(wait.max) };
  if (ranks === undefined) return [most];
  return waits.map((milliseconds, waiting) => ({
    waiting,
    waitedFor: attention.worst,
    seconds: excess(milliseconds),
  }));

  function excess(milliseconds: number): number {
    return (milliseconds - wait.min) / 1e3;
  }
}

/** The demonstration's steps, run again under each strategy. */
export function runReplayChart(run: RunData): Chart {
  const bars = run.replay.map(({ planner, step, attention, skew }) => ({
    name: `${planner}, step ${step}`,
    note: `${formatSeconds(attention / 1e3)}, skew ${skew.toFixed(3)}`,
    seconds: [attention / 1e3],
  }));
  const parts = [{ label: "attention of the slowest rank", color: "attention" as const }];
  return {
    id: "replay",
    title: "The same steps under each strategy",
    summary:
      "Forward and backward of recorded steps again, with the trained weights: busy time of attention on the slowest rank. Steps are numbered inside their epoch, from 0.",
    views: [stackedBars("replay", parts, bars)],
  };
}
