import type { SimulationData, StepData } from "@libra/simulator";
import type { Lane, LaneSpan } from "../chart/lanes.js";

/** Lanes of a step, and how much of it they show. */
export interface LanePlan {
  readonly lanes: readonly Lane[];
  readonly pools: number;
  readonly poolsShown: number;
  readonly ranks: number;
  readonly ranksShown: number;
}

/** Ranks that share attention in one stage, over all micro-steps. */
export interface LaneGroup {
  readonly stage: number;
  readonly positions: readonly number[];
  /** Its pool's number inside the stage. */
  readonly number: number;
  readonly spans: StepData["spans"][number][];
}

const mostGroups = 6;
// Together at most; of each pool at least eight.
const mostRanks = 36;
const leastRanks = 8;

/**
 * One lane for each pool and, below it, one for each of its ranks. Of many pools the one that ends
 * last, the one that ends first and the first others are drawn; of many ranks of a pool the busiest,
 * the idlest and the first others.
 */
export function lanePlan(simulation: SimulationData, step: StepData): LanePlan {
  const groups = groupsOf(step);
  const chosen = chooseGroups(groups);
  const most = Math.max(leastRanks, Math.floor(mostRanks / chosen.length));
  const { tp, pp } = simulation.layout;
  let ranksShown = 0;
  const lanes = chosen.flatMap((group) => {
    const stage = pp > 1 ? `stage ${group.stage}, ` : "";
    const positions = chooseRanks(group, step, placesOf(simulation), most);
    ranksShown += positions.length;
    return [
      { name: `${stage}pool ${group.number}`, strong: true, spans: poolSpans(group, step) },
      ...positions.map((position): Lane => {
        const place = group.stage * placesOf(simulation) + position;
        return { name: nameRank(place, tp), spans: rankSpans(group, step, position, place) };
      }),
    ];
  });
  return {
    lanes,
    pools: groups.length,
    poolsShown: chosen.length,
    ranks: placesOf(simulation) * pp,
    ranksShown,
  };
}

/** Positions of one pipeline stage. */
export function placesOf({ layout }: SimulationData): number {
  return layout.cp * layout.dp;
}

/** A place as global ranks: tensor-parallel ranks of a place do the same. */
export function nameRank(place: number, tp: number): string {
  return tp === 1 ? `rank ${place}` : `ranks ${place * tp}–${place * tp + tp - 1}`;
}

/** Groups in the order in which they first run, stage by stage. */
export function groupsOf(step: StepData): LaneGroup[] {
  const groups = new Map<string, LaneGroup>();
  const numbers = new Map<string, number>();
  for (const span of step.spans) {
    const { positions } = step.pools[span.pool]!;
    const members = positions.join();
    if (!numbers.has(members)) numbers.set(members, numbers.size);
    const key = `${span.stage} ${members}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { stage: span.stage, positions, number: numbers.get(members)!, spans: [] };
      groups.set(key, group);
    }
    group.spans.push(span);
  }
  return [...groups.values()];
}

function chooseGroups(groups: readonly LaneGroup[]): LaneGroup[] {
  if (groups.length <= mostGroups) return [...groups];
  const order = groups.map((_, i) => i).sort((a, b) => endOf(groups[b]!) - endOf(groups[a]!));
  const chosen = new Set([order[0]!, order[order.length - 1]!]);
  for (let i = 0; chosen.size < mostGroups; i++) chosen.add(i);
  return [...chosen].sort((a, b) => a - b).map((i) => groups[i]!);
}

function chooseRanks(group: LaneGroup, step: StepData, places: number, most: number): number[] {
  const { positions, stage } = group;
  if (positions.length <= most) return [...positions];
  const busy = (position: number) => computing(step, stage * places + position);
  const order = [...positions].sort((a, b) => busy(b) - busy(a) || a - b);
  const chosen = new Set([order[0]!, order[order.length - 1]!]);
  for (const position of positions) {
    if (chosen.size === most) break;
    chosen.add(position);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** Seconds in which a place computes. */
export function computing({ busy }: StepData, place: number): number {
  return busy.attention[place]! + busy.linear[place]!;
}

function endOf({ spans }: LaneGroup): number {
  return spans.reduce((last, { end }) => Math.max(last, end), 0);
}

function poolSpans(group: LaneGroup, step: StepData): LaneSpan[] {
  const spans = group.spans.map((span): LaneSpan => {
    const forward = span.pass === "forward";
    const what = `${span.pass}, micro-step ${step.pools[span.pool]!.microStep}`;
    return { start: span.start, end: span.end, color: forward ? "attention" : "exchange", what };
  });
  return [...spans, ...ending(endOf(group), step)];
}

// A pass's time on one rank, in proportion to what the rank computes over the whole step.
function rankSpans(group: LaneGroup, step: StepData, position: number, place: number): LaneSpan[] {
  const own = step.spans.filter(
    ({ stage, pool }) => stage === group.stage && step.pools[pool]!.positions.includes(position),
  );
  const total = own.reduce((sum, { start, end }) => sum + end - start, 0);
  const attention = total === 0 ? 0 : step.busy.attention[place]! / total;
  const linear = total === 0 ? 0 : step.busy.linear[place]! / total;
  const spans = group.spans.flatMap(({ start, end, pass, pool }): LaneSpan[] => {
    const length = end - start;
    const first = Math.min(end, start + attention * length);
    const second = Math.min(end, first + linear * length);
    const where = `${pass}, micro-step ${step.pools[pool]!.microStep}`;
    return [
      { start, end: first, color: "attention", what: `attention, ${where}` },
      { start: first, end: second, color: "linear", what: `linear operators, ${where}` },
      { start: second, end, color: "workers", what: `exchange and waiting, ${where}`, idle: true },
    ];
  });
  return [...spans, ...ending(endOf(group), step)];
}

function ending(end: number, step: StepData): LaneSpan[] {
  return [
    { start: end, end: step.backwardEnd, color: "pools", what: "waits for others", idle: true },
    {
      start: step.backwardEnd,
      end: step.seconds,
      color: "update",
      what: "gradients and optimizer",
    },
  ];
}
