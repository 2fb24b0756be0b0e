import { describe, expect, it } from "vitest";
import {
  add,
  type Device,
  embedding,
  embeddingBackward,
  type FloatType,
  gatherVectors,
  linear,
  linearBackwardInput,
  linearBackwardWeight,
  rmsNorm,
  rmsNormBackward,
  rope,
  type Stream,
  scatterVectors,
  swiglu,
  swigluBackward,
  type Tensor,
} from "../../src/index.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";

const [tokens, inner, outer] = [5, 12, 10];

/** Makes the tensors of a case: of the case's type, float32 or int32. */
interface Maker {
  /** Values that both types hold exactly. */
  readonly model: (shape: number[], seed: number) => Tensor;
  readonly empty: (shape: number[]) => Tensor;
  readonly device: Device;
  readonly stream: Stream;
}

function makerOf(device: Device, stream: Stream, dtype: FloatType): Maker {
  const model = (shape: number[], seed: number): Tensor => {
    const values = numbers(
      shape.reduce((a, b) => a * b, 1),
      seed,
    ).map((value) => Math.round(value * 64) / 64);
    return device.fromArray(values, shape, dtype);
  };
  return { model, empty: (shape) => device.empty(shape, dtype), device, stream };
}

const cases: Record<string, (maker: Maker) => Record<string, Tensor>> = {
  linear({ model, empty, stream, device }) {
    const [x, weight] = [model([tokens, inner], 1), model([outer, inner], 2)];
    const [out, sum, wide] = [
      empty([tokens, outer]),
      empty([tokens, outer]),
      device.empty([tokens, outer]),
    ];
    linear(stream, { x, weight, out });
    linear(stream, { x, weight, residual: model([tokens, outer], 3), out: sum });
    linear(stream, { x, weight, out: wide });
    return { out, sum, wide };
  },
  linearBackward({ model, stream, device }) {
    const dOut = model([tokens, outer], 1);
    const [dx, dWeight] = [model([tokens, inner], 2), device.zeros([outer, inner])];
    linearBackwardInput(stream, { dOut, weight: model([outer, inner], 3), dx, accumulate: true });
    linearBackwardWeight(stream, { dOut, x: model([tokens, inner], 4), dWeight });
    linearBackwardWeight(stream, { dOut, x: model([tokens, inner], 5), dWeight, accumulate: true });
    return { dx, dWeight };
  },
  rmsNorm({ model, empty, stream, device }) {
    const [x, dOut] = [model([tokens, inner], 1), model([tokens, inner], 2)];
    const weight = device.fromArray(numbers(inner, 3));
    const [out, inverseRms] = [empty([tokens, inner]), device.empty([tokens])];
    rmsNorm(stream, { x, weight, out, inverseRms, eps: 1e-6 });
    const [dx, dWeight] = [model([tokens, inner], 4), device.empty([inner])];
    const accumulate = true;
    rmsNormBackward(stream, { dOut, x, weight, inverseRms, dx, dWeight, accumulate });
    return { out, inverseRms, dx, dWeight };
  },
  rope({ model, empty, stream, device }) {
    const x = model([tokens, 3, 4], 1);
    const positions = device.fromArray(Int32Array.of(0, 1, 2, 70, 3));
    const [out, back] = [empty([tokens, 3, 4]), empty([tokens, 3, 4])];
    rope(stream, { x, positions, theta: 1e4, out });
    rope(stream, { x, positions, theta: 1e4, out: back, inverse: true });
    return { out, back };
  },
  swiglu({ model, empty, stream }) {
    const shape = [tokens, inner];
    const [gate, up, dOut] = [model(shape, 1), model(shape, 2), model(shape, 3)];
    const [out, dGate, dUp] = [empty(shape), empty(shape), empty(shape)];
    swiglu(stream, { gate, up, out });
    swigluBackward(stream, { dOut, gate, up, dGate, dUp });
    return { out, dGate, dUp };
  },
  embedding({ model, empty, stream, device }) {
    const ids = device.fromArray(Int32Array.of(3, 0, 3, 6, 1));
    const [out, dTable] = [empty([tokens, inner]), device.empty([7, inner])];
    embedding(stream, { ids, table: model([7, inner], 1), out });
    embeddingBackward(stream, { ids, dOut: model([tokens, inner], 2), dTable });
    return { out, dTable };
  },
  add({ model, empty, stream }) {
    const out = empty([tokens, inner]);
    add(stream, { a: model([tokens, inner], 1), b: model([tokens, inner], 2), out });
    return { out };
  },
  vectors({ model, empty, stream }) {
    const column = (...values: number[]) => Int32Array.from(values);
    const blocks = {
      offset: column(4, 0),
      rows: column(2, 1),
      stride: column(2, 1),
      width: column(1, 2),
    };
    const [gathered, scattered] = [empty([4, 3]), model([8, 3], 2)];
    gatherVectors(stream, { from: model([8, 3], 1), to: gathered, blocks, vectorSize: 3 });
    scatterVectors(stream, { from: gathered, to: scattered, blocks, vectorSize: 3 });
    return { gathered, scattered };
  },
};

/** A case's results by type. */
async function inBoth(run: (maker: Maker) => Record<string, Tensor>) {
  const of = (dtype: FloatType) =>
    onOneRank((stream, device) => run(makerOf(device, stream, dtype)));
  return { wide: await of("float32"), narrow: await of("bfloat16") };
}

describe("operators on bfloat16", () => {
  it.each(Object.entries(cases))("agree with float32 to its rounding: %s", async (_name, run) => {
    const { wide, narrow } = await inBoth(run);
    for (const [name, values] of Object.entries(narrow)) {
      expect(distance(values, wide[name]!), name).toBeLessThan(2 ** -7);
    }
  });

  it("move vectors and rows of tables as they are", async () => {
    for (const run of [cases.vectors!, cases.embedding!]) {
      const { wide, narrow } = await inBoth(run);
      expect(narrow).toEqual(wide);
    }
  });

  it("refuse mixtures and name both sides", async () => {
    await onOneRank((stream, device) => {
      const narrow = (...shape: number[]) => device.zeros(shape, "bfloat16");
      const wide = (...shape: number[]) => device.zeros(shape);
      const refusals: [() => void, string][] = [
        [
          () => linear(stream, { x: narrow(2, 3), weight: wide(4, 3), out: narrow(2, 4) }),
          "Expected a tensor of bfloat16 (as x) for weight of linear but received float32",
        ],
        [
          () => linear(stream, { x: wide(2, 3), weight: wide(4, 3), out: narrow(2, 4) }),
          "Expected a tensor of float32 (as x) for out of linear but received bfloat16",
        ],
        [
          () =>
            linear(stream, {
              ...{ x: narrow(2, 3), weight: narrow(4, 3), out: wide(2, 4) },
              residual: wide(2, 4),
            }),
          "Expected no residual with a float32 out of a bfloat16 x for residual of linear",
        ],
        [
          () =>
            linearBackwardWeight(stream, {
              ...{ dOut: narrow(2, 4), x: narrow(2, 3), dWeight: narrow(4, 3) },
            }),
          "Expected a tensor of float32 for dWeight of linearBackwardWeight but received bfloat16",
        ],
        [
          () =>
            rmsNorm(stream, {
              ...{ x: narrow(2, 4), weight: narrow(4), out: narrow(2, 4) },
              ...{ inverseRms: wide(2), eps: 1e-6 },
            }),
          "Expected a tensor of float32 for weight of rmsNorm but received bfloat16",
        ],
        [
          () => swiglu(stream, { gate: wide(2), up: narrow(2), out: wide(2) }),
          "Expected a tensor of float32 (as gate) for up of swiglu but received bfloat16",
        ],
        [
          () => add(stream, { a: device.zeros([2], "int32"), b: wide(2), out: wide(2) }),
          "Expected a tensor of float32 or bfloat16 for a of add but received int32",
        ],
      ];
      for (const [call, message] of refusals) expect(call).toThrow(message);
      return {};
    });
  });
});
