import { describe, expect, it } from "vitest";
import { adamW, add, cast, clipFactor, copy, fill, scale, sumSquares } from "../../src/index.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";

const a = numbers(33, 1);
const b = numbers(33, 2);

describe("element-wise operators", () => {
  it("add, scale, fill and copy", async () => {
    const got = await onOneRank((stream, device) => {
      const [x, y] = [device.fromArray(a), device.fromArray(b)];
      const [sum, scaled, byTensor, filled, copied] = [33, 33, 33, 33, 33].map((size) =>
        device.empty([size]),
      ) as [ReturnType<typeof device.empty>, ...ReturnType<typeof device.empty>[]];
      const doubles = device.empty([2], "float64");
      add(stream, { a: x, b: y, out: sum });
      scale(stream, { x, factor: -3, out: scaled! });
      scale(stream, { x, factor: device.fromArray([0.25]), out: byTensor! });
      fill(stream, { out: filled!, value: 7 });
      copy(stream, { from: y, to: copied! });
      copy(stream, { from: device.fromArray(Float64Array.of(0.1, 0.2)), to: doubles });
      return {
        ...{ sum, scaled: scaled!, byTensor: byTensor!, filled: filled!, copied: copied! },
        doubles,
      };
    });
    expect(got.sum).toEqual([...a.map((value, i) => value + b[i]!)]);
    expect(got.scaled).toEqual([...a.map((value) => -3 * value)]);
    expect(got.byTensor).toEqual([...a.map((value) => value / 4)]);
    expect(got.filled).toEqual(new Array(33).fill(7));
    expect(got.copied).toEqual([...b]);
    expect(got.doubles).toEqual([0.1, 0.2]);
  });

  it("cast, fill and copy bfloat16", async () => {
    const got = await onOneRank((stream, device) => {
      const x = device.fromArray(a);
      const [narrow, copied] = [device.empty([33], "bfloat16"), device.zeros([34], "bfloat16")];
      const [wide, filled] = [device.empty([33]), device.zeros([35], "bfloat16")];
      cast(stream, { from: x, to: narrow });
      cast(stream, { from: narrow, to: wide });
      copy(stream, { from: narrow, to: copied.slice(1, 34) });
      fill(stream, { out: filled.slice(1, 34), value: 0.1 });
      const rounded = device.fromArray(a, [33], "bfloat16");
      return { narrow, wide, copied, filled, rounded };
    });
    expect(got.narrow).toEqual(got.rounded);
    expect(got.wide).toEqual(got.rounded);
    expect(got.copied).toEqual([0, ...got.rounded!]);
    expect(got.filled).toEqual([0, ...Array(33).fill(0.10009765625), 0]);
    expect(distance(got.wide, [...a])).toBeLessThan(2 ** -8);
  });

  it("cast nothing but float32 and bfloat16, each into the other", async () => {
    await onOneRank((stream, device) => {
      const [x, y] = [device.zeros([2]), device.zeros([2], "bfloat16")];
      expect(() => cast(stream, { from: x, to: device.zeros([2]) })).toThrow(
        "Expected a tensor of bfloat16 for to of cast but received float32",
      );
      expect(() => cast(stream, { from: y, to: device.zeros([2], "bfloat16") })).toThrow(
        "Expected a tensor of float32 for to of cast but received bfloat16",
      );
      expect(() => cast(stream, { from: device.zeros([2], "int32"), to: x })).toThrow(
        "Expected a tensor of float32 or bfloat16 for from of cast but received int32",
      );
      expect(() => copy(stream, { from: x, to: y })).toThrow(
        "Expected a tensor of float32 for to of copy but received bfloat16",
      );
      return {};
    });
  });

  it("refuse other shapes and types", async () => {
    await onOneRank((stream, device) => {
      const x = device.zeros([2, 3]);
      expect(() => add(stream, { a: x, b: device.zeros([3, 2]), out: x })).toThrow(
        "Expected shape [2, 3] (a [2, 3]) for b of add but received [3, 2]",
      );
      expect(() => fill(stream, { out: device.zeros([1], "int32"), value: 1 })).toThrow(
        "Expected a tensor of float32 or bfloat16 for out of fill but received int32",
      );
      expect(() => copy(stream, { from: x, to: x })).toThrow("memory apart from from");
      return {};
    });
  });
});

describe("optimizer", () => {
  it("clips by the global norm", async () => {
    const { squares, factor, norm, small } = await onOneRank((stream, device) => {
      const squares = device.empty([1], "float64");
      const [factor, small, norm] = [device.empty([1]), device.empty([1]), device.empty([1])];
      sumSquares(stream, { x: device.fromArray([3]), out: squares });
      sumSquares(stream, { x: device.fromArray([4]), out: squares, accumulate: true });
      clipFactor(stream, { sumSquares: squares, maxNorm: 10, out: small, norm });
      clipFactor(stream, { sumSquares: squares, maxNorm: 1, out: factor, norm });
      return { squares, factor, norm, small };
    });
    expect(squares).toEqual([25]);
    expect(norm).toEqual([5]);
    expect(small).toEqual([1]);
    expect(distance(factor, [0.2])).toBeLessThan(1e-6);
  });

  it("takes steps of AdamW", async () => {
    const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0.01 };
    const { parameter, m, v } = await onOneRank((stream, device) => {
      const parameter = device.fromArray(a);
      const [m, v] = [device.zeros([33]), device.zeros([33])];
      const gradient = device.fromArray(b);
      const gradientFactor = device.fromArray([0.5]);
      for (const step of [1, 2]) {
        adamW(stream, { parameter, gradient, m, v, ...settings, step, gradientFactor });
      }
      return { parameter, m, v };
    });
    const { learningRate, beta1, beta2, eps, weightDecay } = settings;
    const want = [...a].map((value, i) => {
      let [p, first, second] = [value, 0, 0];
      const g = b[i]! / 2;
      for (const step of [1, 2]) {
        first = beta1 * first + (1 - beta1) * g;
        second = beta2 * second + (1 - beta2) * g * g;
        p -= learningRate * weightDecay * p;
        p -=
          (learningRate * (first / (1 - beta1 ** step))) /
          (Math.sqrt(second / (1 - beta2 ** step)) + eps);
      }
      return [p, first, second] as const;
    });
    const wanted = (column: 0 | 1 | 2): number[] => want.map((row) => row[column]);
    expect(distance(parameter, wanted(0))).toBeLessThan(1e-5);
    expect(distance(m, wanted(1))).toBeLessThan(1e-5);
    expect(distance(v, wanted(2))).toBeLessThan(1e-5);
  });
});
