import { OperationGraph } from "../engine/operation-graph.js";
import type { Scenario } from "../scenario.js";
import { pipelineOrder } from "./pipeline-order.js";
import type { PoolPass } from "./pool-pass.js";

/** One pass of one pool through one model part of one stage, in ticks from the step's start. */
export interface StageSpan {
  readonly stage: number;
  readonly part: number;
  readonly forward: boolean;
  /** Index into the step's pool passes. */
  readonly pool: number;
  readonly start: number;
  readonly end: number;
}

/** The passes of all pools through all stages, before gradients are reduced. */
export interface StageSchedule {
  readonly spans: readonly StageSpan[];
  /** Ticks at which the last backward ends. */
  readonly ticks: number;
  /** The last span of each pool of the last micro-step in each stage's order. */
  readonly lastSpans: readonly (readonly StageSpan[])[];
}

/** Where passes meet beyond the pool. */
export interface Meeting {
  /** Positions that meet: those of one (position ÷ size); 0: none do. */
  readonly size: number;
  /** After every pass, or after every micro-step's backward. */
  readonly after: "pass" | "backward";
  /** Ticks of sending one pool's activations to the next stage. */
  readonly sendTicks: (pool: PoolPass) => number;
}

/**
 * Runs the passes of a step through the event engine: every stage in the order of its pipeline
 * schedule, a pass after its neighbour's result has arrived, and after the passes before it of all
 * its positions.
 */
export function scheduleStages(
  scenario: Scenario,
  passes: readonly PoolPass[],
  microSteps: number,
  meeting: Meeting,
): StageSchedule {
  const { layout, parts, positions } = scenario;
  const { pp } = layout;
  const graph = new OperationGraph();
  const span = pp > 1 ? 2 : 1;
  const id = (pool: number, stage: number, part: number, forward: boolean) =>
    (((pool * pp + stage) * parts + part) * 2 + (forward ? 0 : 1)) * span;
  const total = id(passes.length, 0, 0, true);
  const waits: number[][] = Array.from({ length: total }, () => []);
  const ofMicroStep: number[][] = Array.from({ length: microSteps }, () => []);
  passes.forEach((pass, pool) => {
    ofMicroStep[pass.microStep]!.push(pool);
  });
  const order: [stage: number, part: number, forward: boolean, pool: number][] = [];
  const lastPools: number[][] = [];
  const meetings: number[][] = [];
  for (let stage = 0; stage < pp; stage++) {
    const previous = new Int32Array(positions).fill(-1);
    let lastOperations: number[] = [];
    for (const { microStep, part, forward } of pipelineOrder(stage, pp, microSteps, parts)) {
      lastOperations = [];
      for (const pool of ofMicroStep[microStep]!) {
        const operation = id(pool, stage, part, forward);
        for (const position of passes[pool]!.positions) {
          const before = previous[position]!;
          if (before >= 0 && waits[operation]!.at(-1) !== before) waits[operation]!.push(before);
          previous[position] = operation;
        }
        order.push([stage, part, forward, pool]);
        lastOperations.push(order.length - 1);
      }
      if (meeting.size > 0 && !(forward && meeting.after === "backward")) {
        for (let from = 0; from < positions; from += meeting.size) {
          const operation = total + meetings.length;
          meetings.push(
            [...new Set(previous.subarray(from, from + meeting.size))].filter((o) => o >= 0),
          );
          previous.fill(operation, from, from + meeting.size);
        }
      }
    }
    lastPools.push(lastOperations);
  }
  addOperations();
  for (const operations of meetings) {
    graph.add(0);
    for (const operation of operations) graph.after(operation);
  }
  graph.run();
  const spans = order.map(([stage, part, forward, pool]): StageSpan => {
    const operation = id(pool, stage, part, forward);
    const [start, end] = [graph.start[operation]!, graph.end[operation]!];
    return { stage, part, forward, pool, start, end };
  });
  return {
    spans,
    ticks: spans.reduce((latest, { end }) => Math.max(latest, end), 0),
    lastSpans: lastPools.map((indices) => indices.map((i) => spans[i]!)),
  };

  function addOperations(): void {
    passes.forEach((pass, pool) => {
      const send = pp > 1 ? meeting.sendTicks(pass) : 0;
      for (let stage = 0; stage < pp; stage++) {
        for (let part = 0; part < parts; part++) {
          for (const forward of [true, false]) {
            const ticks = (forward ? pass.forward : pass.backward)[stage * parts + part]!;
            const operation = graph.add(ticks);
            const before = arrivesFrom(stage, part, forward);
            if (before) graph.after(id(pool, before[0], before[1], forward) + 1);
            if (!forward) graph.after(operation - span);
            for (const other of waits[operation]!) graph.after(other);
            if (span === 1) continue;
            graph.add(send);
            graph.after(operation);
            // One link in each direction between a stage and the next.
            graph.holds((pool * pp + stage) * 2 + (forward ? 0 : 1));
          }
        }
      }
    });
  }

  // The (stage, part) whose result a pass needs.
  function arrivesFrom(
    stage: number,
    part: number,
    forward: boolean,
  ): [number, number] | undefined {
    if (forward) {
      if (stage > 0) return [stage - 1, part];
      return part > 0 ? [pp - 1, part - 1] : undefined;
    }
    if (stage < pp - 1) return [stage + 1, part];
    return part < parts - 1 ? [0, part + 1] : undefined;
  }
}
