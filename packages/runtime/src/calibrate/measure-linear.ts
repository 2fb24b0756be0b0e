import { linear, linearBackwardInput, linearBackwardWeight } from "../ops/linear.js";
import type { Rank } from "../rank.js";
import { uniform } from "./measure-attention.js";
import { type Measurement, measureRounds, type RoundsOptions } from "./rounds.js";

/** Speed of matrix products of linear operators. */
export interface LinearRate {
  /** FLOPs per second over all shapes, forward and backward. */
  readonly mean: number;
  /** FLOPs per second of the fastest shape. */
  readonly best: number;
}

// Rows, inputs and outputs as small models have them: more rows than caches hold, as between layers.
const shapes = [
  { rows: 2048, inputs: 256, outputs: 128 },
  { rows: 2048, inputs: 256, outputs: 512 },
  { rows: 2048, inputs: 512, outputs: 256 },
  { rows: 2048, inputs: 256, outputs: 768 },
  { rows: 2048, inputs: 768, outputs: 256 },
  { rows: 2048, inputs: 256, outputs: 4096 },
] as const;

/** Times linear operators, forward and both gradients: processor time of the busiest thread. */
export async function measureLinear(rank: Rank, options: RoundsOptions): Promise<LinearRate> {
  const seconds = await measureRounds(
    shapes.map((shape) => measurement(rank, shape)),
    options,
  );
  const flops = shapes.map(({ rows, inputs, outputs }) => 3 * 2 * rows * inputs * outputs);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    mean: sum(flops) / sum(seconds),
    best: Math.max(...flops.map((count, i) => count / seconds[i]!)),
  };
}

function measurement(rank: Rank, shape: (typeof shapes)[number]): Measurement {
  const { device } = rank;
  const stream = rank.stream("compute");
  const { rows, inputs, outputs } = shape;
  const tensor = (height: number, width: number, seed: number) =>
    device.fromArray(uniform(height * width, seed), [height, width]);
  const x = tensor(rows, inputs, 1);
  const weight = tensor(outputs, inputs, 2);
  const dOut = tensor(rows, outputs, 3);
  const out = device.empty([rows, outputs]);
  const dx = device.empty([rows, inputs]);
  const dWeight = device.zeros([outputs, inputs]);
  return async () => {
    stream.resetTimings();
    linear(stream, { x, weight, out });
    linearBackwardInput(stream, { dOut, weight, dx });
    linearBackwardWeight(stream, { dOut, x, dWeight, accumulate: true });
    await stream.done();
    const times = Object.entries(stream.timings()).filter(([kind]) => kind.startsWith("linear"));
    return times.reduce((sum, [, { cpuMs }]) => sum + cpuMs, 0) / 1e3;
  };
}
