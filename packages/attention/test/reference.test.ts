import { describe, expect, it } from "vitest";
import { generateData, sumOf, sumOfSquares } from "./support/generate.js";
import {
  type ReferenceInputs,
  type ReferenceShape,
  referenceBackward,
  referenceForward,
} from "./support/reference.js";

function run(shape: Omit<ReferenceShape, "scale"> & { scale?: number }) {
  const full = { ...shape, scale: shape.scale ?? 1 / Math.sqrt(shape.headDim) };
  const rows = sumOf(shape.queryLengths);
  const data = generateData({
    ...shape,
    rows,
    keys: sumOf(shape.keyLengths ?? shape.queryLengths),
  });
  return {
    shape: full,
    data,
    ...referenceForward(full, data),
    ...referenceBackward(full, data, data.dOut),
  };
}

describe("the float64 reference", () => {
  it("gives the printed values of C1", () => {
    const r = run({ queryLengths: [5, 3], queryHeads: 6, kvHeads: 2, headDim: 4, valueDim: 4 });
    expect(sumOf(r.out)).toBeCloseTo(-7.472544553, 8);
    expect(sumOfSquares(r.out)).toBeCloseTo(57.050237571, 8);
    expect(r.out.at(-1)).toBeCloseTo(0.553360062, 8);
    expect(sumOf(r.logSumExp)).toBeCloseTo(50.890120117, 8);
    expect(sumOf(r.dq)).toBeCloseTo(-1.310951814, 8);
    expect(sumOfSquares(r.dq)).toBeCloseTo(32.104142176, 8);
    expect(sumOfSquares(r.dk)).toBeCloseTo(16.176609479, 8);
    expect(sumOf(r.dv)).toBeCloseTo(3.900637502, 8);
    expect(sumOfSquares(r.dv)).toBeCloseTo(30.425976167, 8);
    expect(r.dq[(6 * 6 + 5) * 4 + 3]).toBeCloseTo(-0.063971166, 8);
    expect(r.dk[(4 * 2 + 1) * 4 + 2]).toBeCloseTo(0.015672095, 8);
    expect(r.dv[(4 * 2 + 1) * 4 + 2]).toBeCloseTo(-0.176666537, 8);
  });

  it("agrees with finite differences", () => {
    const r = run({ queryLengths: [3, 4], queryHeads: 4, kvHeads: 2, headDim: 3, valueDim: 2 });
    const loss = (inputs: ReferenceInputs) => {
      const { out } = referenceForward(r.shape, inputs);
      return out.reduce((total, value, i) => total + value * r.data.dOut[i]!, 0);
    };
    const gradients = { q: r.dq, k: r.dk, v: r.dv };
    for (const name of ["q", "k", "v"] as const) {
      for (const index of [0, 7, 13]) {
        const at = (step: number) => {
          const moved = r.data[name].slice();
          moved[index]! += step;
          return loss({ ...r.data, [name]: moved });
        };
        const slope = (at(1e-5) - at(-1e-5)) / 2e-5;
        expect(Math.abs(slope - gradients[name][index]!)).toBeLessThan(1e-8);
      }
    }
  });

  it("gives the printed values of B17: keys without rows, full mask", () => {
    const r = run({
      queryLengths: [0, 2],
      keyLengths: [3, 2],
      queryHeads: 1,
      kvHeads: 1,
      headDim: 2,
      valueDim: 2,
      visible: () => true,
    });
    expect(sumOf(r.out)).toBeCloseTo(-1.53984656, 8);
    expect(sumOfSquares(r.dk)).toBeCloseTo(0.138409581, 8);
    expect(sumOf(r.dv)).toBeCloseTo(3.51862578, 8);
    expect([...r.dk.subarray(0, 6), ...r.dv.subarray(0, 6)]).toEqual(new Array(12).fill(0));
  });

  it("gives zero and minus infinity for a row without keys", () => {
    const r = run({
      queryLengths: [2],
      queryHeads: 1,
      kvHeads: 1,
      headDim: 2,
      valueDim: 2,
      visible: (row) => row > 0,
    });
    expect([...r.out.subarray(0, 2)]).toEqual([0, 0]);
    expect(r.logSumExp[0]).toBe(-Infinity);
    expect([...r.dq, ...r.dk, ...r.dv].every(Number.isFinite)).toBe(true);
  });
});
