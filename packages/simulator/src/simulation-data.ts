import { secondsOf } from "./engine/ticks.js";
import { kinds } from "./layer/account.js";
import type { Simulation } from "./simulate.js";

/** A simulation as plain data, ready for JSON: seconds instead of ticks, arrays instead of objects. */
export interface SimulationData extends Omit<Simulation, "steps"> {
  readonly version: 1;
  readonly steps: readonly StepData[];
}

/** One step as plain data; times in seconds. */
export interface StepData {
  readonly seconds: number;
  readonly tokens: number;
  /** When the last backward ends: gradients and the optimizer follow. */
  readonly backwardEnd: number;
  readonly breakdown: Simulation["breakdown"];
  readonly workerSkew: number;
  /** Pools: their positions in the dp × cp plane and the one that the others wait for. */
  readonly pools: readonly { positions: readonly number[]; microStep: number; slowest: number }[];
  /** Passes of pools through stages, in the order of each stage. */
  readonly spans: readonly {
    readonly stage: number;
    readonly part: number;
    readonly pass: "forward" | "backward";
    /** Index into `pools`. */
    readonly pool: number;
    readonly start: number;
    readonly end: number;
  }[];
  /** Seconds by kind of operation, one entry per place (`stage · positions + position`). */
  readonly busy: Readonly<Record<(typeof kinds)[number], readonly number[]>>;
}

/** Plain data of a simulation, for files and reports. */
export function simulationData(simulation: Simulation): SimulationData {
  return {
    version: 1,
    ...simulation,
    steps: simulation.steps.map((step) => ({
      seconds: secondsOf(step.ticks),
      tokens: step.tokens,
      backwardEnd: secondsOf(step.backwardEnd),
      breakdown: Object.fromEntries(
        Object.entries(step.breakdown).map(([key, ticks]) => [key, secondsOf(ticks)]),
      ) as unknown as Simulation["breakdown"],
      workerSkew: step.workerSkew,
      pools: step.pools,
      spans: step.spans.map(({ forward, start, end, ...span }) => ({
        ...span,
        pass: forward ? ("forward" as const) : ("backward" as const),
        start: secondsOf(start),
        end: secondsOf(end),
      })),
      busy: Object.fromEntries(
        kinds.map((kind) => [
          kind,
          Array.from({ length: step.account.places }, (_, place) =>
            secondsOf(step.account.get(kind, place)),
          ),
        ]),
      ) as unknown as StepData["busy"],
    })),
  };
}
