import fc from "fast-check";
import { expect, test } from "vitest";
import { equalSizeBound } from "../../src/placement/bound.js";
import { stepBound, stepTime } from "../../src/placement/objective.js";
import type { PlacementShape } from "../../src/placement/types.js";

/** All ways to give items to bins of equal size, with the bins' loads (bins are told apart). */
function* allLoads(weights: number[], bins: number, size: number): Generator<Float64Array> {
  const loads = new Float64Array(bins);
  const room = new Array<number>(bins).fill(size);
  function* fill(i: number): Generator<Float64Array> {
    if (i === weights.length) return yield loads;
    for (let b = 0; b < bins; b++) {
      if (room[b] === 0) continue;
      room[b]!--;
      loads[b]! += weights[i]!;
      yield* fill(i + 1);
      loads[b]! -= weights[i]!;
      room[b]!++;
    }
  }
  yield* fill(0);
}

const weightsOf = (count: number) =>
  fc
    .array(fc.oneof(fc.nat(9), fc.nat(60)), { minLength: count, maxLength: count })
    .map((weights) => weights.sort((a, b) => b - a));

test("no answer is below the bound of equal-size bins", () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom([2, 2], [2, 3], [3, 2], [4, 1], [2, 4])
        .chain(([bins, size]) =>
          fc.tuple(fc.constant([bins!, size!] as const), weightsOf(bins! * size!)),
        ),
      ([[bins, size], weights]) => {
        let least = Number.POSITIVE_INFINITY;
        for (const loads of allLoads(weights, bins, size)) {
          least = Math.min(least, Math.max(...loads));
        }
        const total = weights.reduce((a, b) => a + b, 0);
        const optimum = total === 0 ? 1 : (least * bins) / total;
        expect(equalSizeBound(Float64Array.from(weights), bins, size)).toBeLessThanOrEqual(
          optimum + 1e-12,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("no answer of any sync is below the step's bound", () => {
  fc.assert(
    fc.property(
      fc
        .tuple(
          fc.constantFrom([2, 1, 3], [2, 2, 2], [3, 1, 2], [2, 3, 1]),
          fc.constantFrom("step" as const, "microStep" as const, "pipeline" as const),
          fc.integer({ min: 2, max: 4 }),
          fc.constantFrom(0.5, 1, 2.5),
        )
        .chain(([[pools, poolSize, microSteps], sync, stages, backwardRatio]) =>
          fc.tuple(
            fc.constant({
              pools,
              poolSize,
              microSteps,
              sync,
              stages,
              backwardRatio,
            } as PlacementShape),
            weightsOf(pools! * poolSize! * microSteps!),
          ),
        ),
      ([shape, weights]) => {
        let least = Number.POSITIVE_INFINITY;
        for (const loads of allLoads(weights, shape.pools * shape.microSteps, shape.poolSize)) {
          least = Math.min(least, stepTime(loads, shape));
        }
        const total = weights.reduce((a, b) => a + b, 0);
        const optimum = total === 0 ? 1 : (least * shape.pools) / total;
        expect(stepBound(Float64Array.from(weights), shape)).toBeLessThanOrEqual(optimum + 1e-12);
      },
    ),
    { numRuns: 60 },
  );
});

test("a single outlier sets the bound", () => {
  // 4 bins of 2: the outlier's bin holds it and the smallest item.
  const weights = Float64Array.of(70, 5, 5, 5, 5, 5, 4, 1);
  expect(equalSizeBound(weights, 4, 2)).toBeCloseTo((71 * 4) / 100, 12);
  expect(equalSizeBound(new Float64Array(8), 4, 2)).toBe(1);
});
