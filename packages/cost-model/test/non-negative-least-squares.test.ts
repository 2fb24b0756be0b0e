import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nonNegativeLeastSquares } from "../src/index.js";

const entry = fc.integer({ min: -9, max: 9 });
const problems = fc
  .record({ rows: fc.integer({ min: 1, max: 8 }), columns: fc.integer({ min: 1, max: 5 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      a: fc.array(fc.array(entry, { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
      b: fc.array(entry, { minLength: rows, maxLength: rows }),
    }),
  );

const residualOf = (a: number[][], x: ArrayLike<number>, b: number[]) =>
  b.map((value, i) => value - a[i]!.reduce((sum, factor, j) => sum + factor * x[j]!, 0));
const square = (values: number[]) => values.reduce((sum, value) => sum + value * value, 0);

// Least squares over every subset of columns by normal equations; the best that is non-negative.
function bruteForce(a: number[][], b: number[]): number {
  const size = a[0]!.length;
  let best = square(b);
  for (let subset = 1; subset < 2 ** size; subset++) {
    const chosen = [...Array(size).keys()].filter((j) => (subset >> j) & 1);
    const system = chosen.map((i) => [
      ...chosen.map((j) => a.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
      a.reduce((sum, row, k) => sum + row[i]! * b[k]!, 0),
    ]);
    const solution = eliminate(system);
    if (solution === undefined || solution.some((value) => value < 0)) continue;
    const x = Array(size).fill(0);
    chosen.forEach((j, i) => {
      x[j] = solution[i];
    });
    best = Math.min(best, square(residualOf(a, x, b)));
  }
  return best;
}

function eliminate(system: number[][]): number[] | undefined {
  const size = system.length;
  for (let i = 0; i < size; i++) {
    let pivot = i;
    for (let k = i; k < size; k++) {
      if (Math.abs(system[k]![i]!) > Math.abs(system[pivot]![i]!)) pivot = k;
    }
    if (Math.abs(system[pivot]![i]!) < 1e-7) return undefined;
    [system[i], system[pivot]] = [system[pivot]!, system[i]!];
    for (let k = 0; k < size; k++) {
      if (k === i) continue;
      const factor = system[k]![i]! / system[i]![i]!;
      for (let j = i; j <= size; j++) system[k]![j]! -= factor * system[i]![j]!;
    }
  }
  return system.map((row, i) => row[size]! / row[i]!);
}

describe("nonNegativeLeastSquares", () => {
  it("meets the Karush–Kuhn–Tucker conditions", () => {
    fc.assert(
      fc.property(problems, ({ a, b }) => {
        const { x, residual } = nonNegativeLeastSquares(a, b);
        const rest = residualOf(a, x, b);
        expect(residual).toBeCloseTo(Math.sqrt(square(rest)), 7);
        x.forEach((value, j) => {
          const descent = a.reduce((sum, row, i) => sum + row[j]! * rest[i]!, 0);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(descent).toBeLessThan(1e-6);
          if (value > 0) expect(Math.abs(descent)).toBeLessThan(1e-6);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it("is as good as the best of all subsets of columns", () => {
    fc.assert(
      fc.property(problems, ({ a, b }) => {
        const { residual } = nonNegativeLeastSquares(a, b);
        expect(residual ** 2).toBeLessThanOrEqual(bruteForce(a, b) + 1e-6);
      }),
      { numRuns: 300 },
    );
  });

  it("is exact whatever the columns' units", () => {
    const x = [5e-6, 3e-12, 0, 2e-9];
    const a = Array.from({ length: 12 }, (_, i) => [
      1,
      (i + 1) ** 2 * 1e6,
      (i % 5) * 1e3,
      (i % 7) * 1e4,
    ]);
    const b = a.map((row) => row.reduce((sum, value, j) => sum + value * x[j]!, 0));
    const solution = nonNegativeLeastSquares(a, b);
    x.forEach((value, j) => {
      expect(Math.abs(solution.x[j]! - value)).toBeLessThan(1e-9 * Math.max(value, 1e-9));
    });
  });

  it("accepts dependent columns, zero columns and no columns", () => {
    const twice = nonNegativeLeastSquares(
      [
        [1, 2, 0],
        [2, 4, 0],
      ],
      [3, 6],
    );
    expect(twice.residual).toBeCloseTo(0, 12);
    expect(twice.x[0]! + 2 * twice.x[1]!).toBeCloseTo(3, 12);
    expect(nonNegativeLeastSquares([[], []], [3, 4]).residual).toBe(5);
  });

  it("refuses shapes that do not match and values that are not finite", () => {
    expect(() => nonNegativeLeastSquares([[1]], [1, 2])).toThrow("Expected 1 values for b");
    expect(() => nonNegativeLeastSquares([[1], [1, 2]], [1, 2])).toThrow("a[1]");
    expect(() => nonNegativeLeastSquares([[Number.NaN]], [1])).toThrow("finite");
  });
});
