import type { LegendEntry } from "../chart/chart.js";
import type { Lane } from "../chart/lanes.js";
import type { Phase, RunStep } from "../read/read-run.js";

/** Phases in the order in which they are drawn; exchange has streams of its own. */
export const phaseLegend = [
  { phase: "attention", label: "attention", color: "attention" },
  { phase: "other", label: "other operators", color: "linear" },
  { phase: "wait", label: "waiting", color: "workers" },
  { phase: "exchange", label: "exchange, may overlap", color: "exchange" },
] as const satisfies readonly (LegendEntry & { phase: Phase })[];

const mostRanks = 24;

/** Milliseconds of each phase on the ranks that a step tells of. */
export interface RankPhases {
  readonly name: string;
  readonly rank?: number;
  readonly milliseconds: Readonly<Record<Phase, number>>;
}

/**
 * The ranks of a step: every one where the run wrote them (of many the busiest, the idlest and the
 * first others), else the least, median and greatest of each phase over ranks.
 */
export function ranksOf(step: RunStep): RankPhases[] {
  const { ranks } = step;
  if (ranks === undefined) {
    return (["min", "median", "max"] as const).map((key) => ({
      name: { min: "least", median: "median", max: "greatest" }[key],
      milliseconds: byPhase((phase) => step[phase][key]),
    }));
  }
  const order = ranks.attention.map((_, rank) => rank);
  const busiest = [...order].sort((a, b) => ranks.attention[b]! - ranks.attention[a]! || a - b);
  const chosen = new Set([busiest[0]!, busiest[busiest.length - 1]!]);
  for (const rank of order) if (chosen.size < mostRanks) chosen.add(rank);
  return [...chosen]
    .sort((a, b) => a - b)
    .map((rank) => ({
      name: `rank ${rank}`,
      rank,
      milliseconds: byPhase((phase) => ranks[phase][rank]!),
    }));
}

/** Phases one after another: the log tells how long each took, not when. */
export function phaseLane({ name, milliseconds }: RankPhases): Lane {
  let end = 0;
  const spans = phaseLegend.map(({ phase, label, color }) => {
    const start = end;
    end += milliseconds[phase] / 1e3;
    return { start, end, color, what: label, idle: phase === "wait" };
  });
  return { name, spans };
}

function byPhase(pick: (phase: Phase) => number): Record<Phase, number> {
  const { attention, exchange, wait, other } = {
    attention: pick("attention"),
    exchange: pick("exchange"),
    wait: pick("wait"),
    other: pick("other"),
  };
  return { attention, exchange, wait, other };
}
