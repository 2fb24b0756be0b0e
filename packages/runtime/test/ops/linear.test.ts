import { describe, expect, it } from "vitest";
import { linear, linearBackwardInput, linearBackwardWeight } from "../../src/index.js";
import { dot, gradient } from "../support/finite-difference.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";
import * as reference from "../support/reference.js";

const [T, K, N] = [5, 7, 3];
const x = numbers(T * K, 1);
const weight = numbers(N * K, 2);
const residual = numbers(T * N, 3);
const dOut = numbers(T * N, 4);

describe("linear", () => {
  it("multiplies and adds the residual", async () => {
    const { plain, added } = await onOneRank((stream, device) => {
      const inputs = { x: device.fromArray(x, [T, K]), weight: device.fromArray(weight, [N, K]) };
      const plain = device.empty([T, N]);
      const added = device.fromArray(residual, [T, N]);
      linear(stream, { ...inputs, out: plain });
      linear(stream, { ...inputs, out: added, residual: added });
      return { plain, added };
    });
    const want = reference.linear([...x], [...weight], K);
    expect(distance(plain, want)).toBeLessThan(1e-6);
    expect(
      distance(
        added,
        want.map((value, i) => value + residual[i]!),
      ),
    ).toBeLessThan(1e-6);
  });

  it("has the gradients of its finite differences and adds when asked", async () => {
    const { dx, dWeight, twice } = await onOneRank((stream, device) => {
      const given = {
        x: device.fromArray(x, [T, K]),
        weight: device.fromArray(weight, [N, K]),
        dOut: device.fromArray(dOut, [T, N]),
      };
      const [dx, dWeight, twice] = [
        device.empty([T, K]),
        device.empty([N, K]),
        device.empty([N, K]),
      ];
      linearBackwardInput(stream, { ...given, dx });
      linearBackwardWeight(stream, { ...given, dWeight });
      linearBackwardWeight(stream, { ...given, dWeight: twice });
      linearBackwardWeight(stream, { ...given, dWeight: twice, accumulate: true });
      return { dx, dWeight, twice };
    });
    const loss = (a: readonly number[], b: readonly number[]): number =>
      dot(reference.linear(a, b, K), dOut);
    expect(
      distance(
        dx,
        gradient((values) => loss(values, [...weight]), [...x]),
      ),
    ).toBeLessThan(1e-5);
    const wanted = gradient((values) => loss([...x], values), [...weight]);
    expect(distance(dWeight, wanted)).toBeLessThan(1e-5);
    expect(
      distance(
        twice,
        wanted.map((value) => 2 * value),
      ),
    ).toBeLessThan(1e-5);
  });

  it("takes leading dimensions as rows and tensors without rows", async () => {
    const { out, none } = await onOneRank((stream, device) => {
      const weights = device.fromArray(weight, [N, K]);
      const out = device.empty([1, T, N]);
      const none = device.empty([0, N]);
      linear(stream, { x: device.fromArray(x, [1, T, K]), weight: weights, out });
      linear(stream, { x: device.empty([0, K]), weight: weights, out: none });
      return { out, none };
    });
    expect(distance(out, reference.linear([...x], [...weight], K))).toBeLessThan(1e-6);
    expect(none).toEqual([]);
  });

  it("refuses shapes that do not fit, showing both sides, and memory that overlaps", async () => {
    await onOneRank((stream, device) => {
      const given = { x: device.zeros([T, K]), weight: device.zeros([N, K + 1]) };
      expect(() => linear(stream, { ...given, out: device.empty([T, N]) })).toThrow(
        "Expected shape [N = 3, K = 7] (x [5, 7]) for weight of linear but received [3, 8]",
      );
      const square = { x: device.zeros([4, 4]), weight: device.zeros([4, 4]) };
      expect(() => linear(stream, { ...square, out: square.x })).toThrow(
        "Expected memory apart from x for out of linear",
      );
      return {};
    });
  });
});
