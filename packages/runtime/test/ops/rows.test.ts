import { describe, expect, it } from "vitest";
import { rmsNorm, rmsNormBackward, rope, swiglu, swigluBackward } from "../../src/index.js";
import { dot, gradient } from "../support/finite-difference.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";
import * as reference from "../support/reference.js";

const eps = 1e-6;

describe("rmsNorm", () => {
  const [rows, width] = [4, 6];
  const x = numbers(rows * width, 1);
  const weight = numbers(width, 2);
  const dOut = numbers(rows * width, 3);

  it("agrees with float64, forward and backward", async () => {
    const { out, inverseRms, dx, dWeight, added } = await onOneRank((stream, device) => {
      const given = { x: device.fromArray(x, [2, 2, width]), weight: device.fromArray(weight) };
      const out = device.empty([2, 2, width]);
      const inverseRms = device.empty([2, 2]);
      rmsNorm(stream, { ...given, out, inverseRms, eps });
      const dx = device.empty([2, 2, width]);
      const dWeight = device.empty([width]);
      const back = { ...given, inverseRms, dOut: device.fromArray(dOut, [2, 2, width]) };
      rmsNormBackward(stream, { ...back, dx, dWeight });
      const added = device.fromArray(new Float32Array(rows * width).fill(1), [2, 2, width]);
      rmsNormBackward(stream, {
        ...back,
        ...{ dx: added, dWeight, accumulate: true, accumulateWeight: true },
      });
      return { out, inverseRms, dx, dWeight, added };
    });
    expect(distance(out, reference.rmsNorm([...x], [...weight], eps))).toBeLessThan(1e-6);
    expect(inverseRms).toHaveLength(rows);
    const loss = (a: readonly number[], b: readonly number[]): number =>
      dot(reference.rmsNorm(a, b, eps), dOut);
    const wanted = gradient((values) => loss(values, [...weight]), [...x]);
    expect(distance(dx, wanted)).toBeLessThan(1e-5);
    expect(
      distance(
        added,
        wanted.map((value) => value + 1),
      ),
    ).toBeLessThan(1e-5);
    const wantedWeight = gradient((values) => loss([...x], values), [...weight]);
    expect(
      distance(
        dWeight,
        wantedWeight.map((value) => 2 * value),
      ),
    ).toBeLessThan(1e-5);
  });
});

describe("rope", () => {
  const [tokens, heads, headDim] = [3, 2, 8];
  const x = numbers(tokens * heads * headDim, 5);
  const positions = [0, 1, 700];

  it("rotates as Hugging Face and back, in place too", async () => {
    const { out, back } = await onOneRank((stream, device) => {
      const shape = [tokens, heads, headDim];
      const places = device.fromArray(Int32Array.from(positions));
      const out = device.empty(shape);
      rope(stream, { x: device.fromArray(x, shape), positions: places, theta: 1e6, out });
      const back = device.fromArray(x, shape);
      rope(stream, { x: back, positions: places, theta: 1e6, out: back });
      rope(stream, { x: back, positions: places, theta: 1e6, out: back, inverse: true });
      return { out, back };
    });
    const wanted = reference.rope([...x], positions, { heads, headDim }, 1e6);
    expect(distance(out, wanted)).toBeLessThan(1e-5);
    expect(distance(back, [...x])).toBeLessThan(1e-6);
  });

  it("refuses an odd head dim", async () => {
    await onOneRank((stream, device) => {
      const odd = device.zeros([1, 1, 3]);
      const positions = device.zeros([1], "int32");
      expect(() => rope(stream, { x: odd, positions, theta: 1e6, out: odd })).toThrow(
        "Expected an even number for head dim of rope but received 3",
      );
      return {};
    });
  });
});

describe("swiglu", () => {
  const gate = numbers(20, 7).map((value) => 5 * value);
  const up = numbers(20, 8);
  const dOut = numbers(20, 9);

  it("agrees with float64, forward and backward", async () => {
    const { out, dGate, dUp } = await onOneRank((stream, device) => {
      const given = { gate: device.fromArray(gate, [4, 5]), up: device.fromArray(up, [4, 5]) };
      const [out, dGate, dUp] = [device.empty([4, 5]), device.empty([4, 5]), device.empty([4, 5])];
      swiglu(stream, { ...given, out });
      swigluBackward(stream, { ...given, dOut: device.fromArray(dOut, [4, 5]), dGate, dUp });
      return { out, dGate, dUp };
    });
    expect(distance(out, reference.swiglu([...gate], [...up]))).toBeLessThan(1e-6);
    const loss = (a: readonly number[], b: readonly number[]): number =>
      dot(reference.swiglu(a, b), dOut);
    expect(
      distance(
        dGate,
        gradient((values) => loss(values, [...up]), [...gate]),
      ),
    ).toBeLessThan(1e-5);
    expect(
      distance(
        dUp,
        gradient((values) => loss([...gate], values), [...up]),
      ),
    ).toBeLessThan(1e-5);
  });
});
