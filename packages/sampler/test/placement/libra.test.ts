import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placementByName, placementNames } from "../../src/placement/by-name.js";
import { libraPlacement } from "../../src/placement/libra.js";
import { longestFirstPlacement } from "../../src/placement/longest-first.js";
import { binLoads, stepBound, stepSkew } from "../../src/placement/objective.js";
import type { FixedPlacement, PlacementShape } from "../../src/placement/types.js";
import { lognormalLengths, plain } from "../helpers.js";

const shapes = fc
  .record({
    pools: fc.integer({ min: 1, max: 6 }),
    poolSize: fc.integer({ min: 1, max: 5 }),
    microSteps: fc.integer({ min: 1, max: 4 }),
    sync: fc.constantFrom("step" as const, "microStep" as const, "pipeline" as const),
    stages: fc.integer({ min: 2, max: 5 }),
    backwardRatio: fc.constantFrom(1, 2, 2.5),
  })
  .chain((shape) => {
    const count = shape.pools * shape.poolSize * shape.microSteps;
    const weight = fc.oneof(fc.constant(0), fc.nat(100), fc.nat(2 ** 40));
    return fc.tuple(
      fc.constant(shape as PlacementShape),
      fc.array(weight, { minLength: count, maxLength: count }).map((w) => Float64Array.from(w)),
    );
  });

const sortedDown = (weights: Float64Array) => weights.slice().sort().reverse();

const fixedNames = placementNames.filter((name) => !placementByName(name).changesStep);

describe.each(fixedNames)("placement %s", (name) => {
  // The searches are the same with less effort; the properties must hold at any.
  const placement =
    name === "libra" ? libraPlacement({ effort: 0.5 }) : (placementByName(name) as FixedPlacement);

  test("is a permutation and never below the bound", () => {
    fc.assert(
      fc.property(shapes, ([shape, weights]) => {
        const slots = placement.place(weights, shape);
        expect(plain(slots.slice().sort())).toEqual(plain(weights.keys()));
        const skew = stepSkew(binLoads(slots, weights, shape), shape);
        expect(skew).toBeGreaterThanOrEqual(stepBound(sortedDown(weights), shape) * (1 - 1e-12));
      }),
      { numRuns: 300 },
    );
  });

  test("equal inputs give equal slots", () => {
    fc.assert(
      fc.property(shapes, ([shape, weights]) => {
        expect(placement.place(weights, shape)).toEqual(placement.place(weights.slice(), shape));
      }),
      { numRuns: 30 },
    );
  });
});

describe("libra", () => {
  const skewOf = (placement: FixedPlacement, weights: Float64Array, shape: PlacementShape) =>
    stepSkew(binLoads(placement.place(weights, shape), weights, shape), shape);

  test("is never worse than longestFirst", () => {
    fc.assert(
      fc.property(shapes, ([shape, weights]) => {
        expect(skewOf(libraPlacement({ effort: 0.5 }), weights, shape)).toBeLessThanOrEqual(
          skewOf(longestFirstPlacement(), weights, shape),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("comes within 0.1 % of the bound where nothing sticks out", () => {
    for (const sync of ["step", "microStep"] as const) {
      const shape = { pools: 16, poolSize: 8, microSteps: 2, sync, stages: 1, backwardRatio: 2.5 };
      const lengths = lognormalLengths(256, 11, { median: 4096, sigma: 0.7, clip: 2 ** 15 });
      const weights = Float64Array.from(lengths, (length) => (length * (length + 1)) / 2);
      expect(skewOf(libraPlacement(), weights, shape)).toBeLessThan(
        stepBound(sortedDown(weights), shape) * 1.001,
      );
    }
  });

  test("with pools that meet at every micro-step, an outlier costs its own micro-step only", () => {
    const shape: PlacementShape = {
      pools: 2,
      poolSize: 1,
      microSteps: 3,
      sync: "microStep",
      stages: 1,
      backwardRatio: 2.5,
    };
    const weights = Float64Array.of(1, 100, 2, 90, 1, 2);
    const loads = binLoads(libraPlacement().place(weights, shape), weights, shape);
    expect(plain(loads)).toEqual([100, 90, 2, 2, 1, 1]);
  });

  test("lowers every level of a step whose longest sequences crowd one micro-step", () => {
    for (const [pools, full, power] of [
      [64, 16, 0.9],
      [32, 7, 0.8],
    ] as const) {
      const shape: PlacementShape = {
        pools,
        poolSize: 8,
        microSteps: 4,
        sync: "microStep",
        stages: 1,
        backwardRatio: 2.5,
      };
      // A power law over ranks, cut off at the work of a window that one document fills.
      const weights = Float64Array.from({ length: pools * 32 }, (_, rank) =>
        Math.round(1e6 * Math.min(1, 0.95 * (full / (rank + 1)) ** power)),
      );
      expect(skewOf(libraPlacement(), weights, shape)).toBeLessThan(
        stepBound(weights, shape) * 1.001,
      );
    }
  });
});
