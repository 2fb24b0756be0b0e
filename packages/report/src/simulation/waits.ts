import type { SimulationData, StepData } from "@libra/simulator";
import type { Wait } from "../chart/wait-matrix.js";
import { computing, placesOf } from "./lane-plan.js";

type Span = StepData["spans"][number];

/**
 * Who waits for whom in one step, by place (`stage · positions + position`). Inside a pool ranks wait
 * for the busiest, split over the pool's passes by their length; after its last pass a pool waits for
 * the slowest rank of the pool that ends last.
 */
export function waitsOf(simulation: SimulationData, step: StepData): Wait[] {
  const places = placesOf(simulation);
  return Array.from({ length: simulation.layout.pp }, (_, stage) => {
    const spans = step.spans.filter((span) => span.stage === stage);
    return [...insidePools(spans, step, stage * places), ...atTheEnd(spans, step, stage * places)];
  }).flat();
}

function insidePools(spans: readonly Span[], step: StepData, first: number): Wait[] {
  const totals = new Map<number, number>();
  for (const { pool, start, end } of spans) {
    for (const position of step.pools[pool]!.positions) {
      totals.set(position, (totals.get(position) ?? 0) + end - start);
    }
  }
  return spans.flatMap(({ pool, start, end }) => {
    const { positions, slowest } = step.pools[pool]!;
    const most = computing(step, first + slowest);
    return positions.flatMap((position): Wait[] => {
      const total = totals.get(position)!;
      const seconds = total === 0 ? 0 : most - computing(step, first + position);
      if (seconds <= 0) return [];
      const share = ((end - start) / total) * seconds;
      return [{ waiting: first + position, waitedFor: first + slowest, seconds: share }];
    });
  });
}

function atTheEnd(spans: readonly Span[], step: StepData, first: number): Wait[] {
  if (spans.length === 0) return [];
  const last = spans.reduce((a, b) => (b.end > a.end ? b : a));
  const ends = new Map<number, number>();
  for (const { pool, end } of spans) {
    for (const position of step.pools[pool]!.positions) {
      ends.set(position, Math.max(ends.get(position) ?? 0, end));
    }
  }
  const waitedFor = first + step.pools[last.pool]!.slowest;
  return [...ends].map(([position, end]) => ({
    waiting: first + position,
    waitedFor,
    seconds: last.end - end,
  }));
}
