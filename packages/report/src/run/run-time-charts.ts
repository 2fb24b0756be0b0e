import type { Chart } from "../chart/chart.js";
import { type Lane, lanesView } from "../chart/lanes.js";
import { stackedBars } from "../chart/stacked-bars.js";
import { formatSeconds } from "../format.js";
import type { Phase, RunData, RunStep } from "../read/read-run.js";
import { phaseLane, phaseLegend, ranksOf } from "./run-phases.js";

/** Where a step's time goes, as medians over ranks. */
export function runBreakdownChart(run: RunData): Chart {
  const mean = (steps: readonly RunStep[], pick: (step: RunStep) => number) =>
    steps.reduce((sum, step) => sum + pick(step), 0) / steps.length / 1e3;
  const bar = (name: string, key: "median" | "max") => ({
    name,
    note: `${formatSeconds(mean(run.steps, ({ milliseconds }) => milliseconds))} a step`,
    seconds: phaseLegend.map(({ phase }) => mean(run.steps, (step) => step[phase as Phase][key])),
  });
  const each = thinned(run.steps).map((step) => ({
    name: `step ${step.step}`,
    note: formatSeconds(step.milliseconds / 1e3),
    seconds: phaseLegend.map(({ phase }) => step[phase as Phase].median / 1e3),
  }));
  return {
    id: "breakdown",
    title: "Where a step's time goes",
    summary:
      "Attention is processor time of the busiest compute thread; waiting and other operators are times of the compute stream; exchange runs on streams of its own and may overlap, so parts need not add up to the step.",
    views: [
      stackedBars("mean over steps", phaseLegend, [
        bar("median rank", "median"),
        bar("greatest of each", "max"),
      ]),
      stackedBars("steps", phaseLegend, each),
    ],
  };
}

const mostSteps = 12;

/** Steps spread evenly over the run, the last included. */
function thinned(steps: readonly RunStep[]): RunStep[] {
  const count = Math.min(mostSteps, steps.length);
  return Array.from(
    { length: count },
    (_, i) => steps[Math.floor(((i + 1) * steps.length) / count) - 1]!,
  );
}

/** A step as lanes of ranks, grouped by pool. */
export function runTimelineChart(run: RunData): Chart {
  const step = typicalRunStep(run.steps);
  const slowest = run.steps.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  const views = [lanesView(`step ${step.step}, typical`, lanesOf(run, step), phaseLegend)];
  if (slowest !== step) {
    const label = `step ${slowest.step}, the slowest`;
    views.push(lanesView(label, lanesOf(run, slowest), phaseLegend));
  }
  const lanes = step.ranks
    ? "A lane for each pool and each of its ranks"
    : "The run kept least, median and greatest times over ranks, not each rank's: a lane for each of these";
  return {
    id: "timeline",
    title: "Timeline of a step",
    summary: `${lanes}. Parts are drawn one after another: what is known is how long each took, not when.`,
    views,
  };
}

/** The step whose time is the median. */
export function typicalRunStep(steps: readonly RunStep[]): RunStep {
  const order = [...steps].sort((a, b) => a.milliseconds - b.milliseconds || a.step - b.step);
  return order[Math.floor((order.length - 1) / 2)]!;
}

function lanesOf(run: RunData, step: RunStep): Lane[] {
  const ranks = ranksOf(step);
  const poolRanks = (run.layout?.poolSize ?? 1) * (run.layout?.cp ?? 1);
  let pool = -1;
  return ranks.flatMap((phases) => {
    const lane = phaseLane(phases);
    if (phases.rank === undefined || run.layout === undefined) return [lane];
    const own = Math.floor(phases.rank / poolRanks);
    if (own === pool) return [lane];
    pool = own;
    const spans = [
      { start: 0, end: step.milliseconds / 1e3, color: "update" as const, what: "the step" },
    ];
    return [{ name: `pool ${own}`, strong: true, spans }, lane];
  });
}
