import { type ParameterShape, parameterShapes, sizeOf } from "./parameter-shapes.js";
import type { ModelSizes } from "./sizes.js";

const spread = 0.02;

/**
 * A new model's values: norm weights 1, all others normal with standard deviation 0.02, as Qwen3's
 * `initializer_range`. Keyed by (seed, parameter index, element), so equal on every rank.
 */
export function initialParameters(sizes: ModelSizes, seed: number): Map<string, Float32Array> {
  return new Map(
    parameterShapes(sizes).map((parameter, index) => [
      parameter.name,
      initialValues(parameter, seed, index),
    ]),
  );
}

function initialValues({ shape }: ParameterShape, seed: number, index: number): Float32Array {
  const values = new Float32Array(sizeOf(shape));
  if (shape.length === 1) return values.fill(1);
  const next = uniform(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca77));
  for (let i = 0; i < values.length; i += 2) {
    // Box–Muller: two uniform numbers give two normal ones.
    const radius = spread * Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < values.length) values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}

// SplitMix32: one multiply-and-shift hash of a counter.
function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}
