import { readFileSync } from "node:fs";
import loadHighs from "highs";
import { describe, expect, test } from "vitest";
import { libraPlacement } from "../../src/placement/libra.js";
import { measurePlacement } from "../../src/placement/measure.js";
import type { PlacementShape } from "../../src/placement/types.js";
import { lognormalLengths } from "../helpers.js";

interface Problem {
  data: string;
  pools: number;
  poolSize: number;
  microSteps: number;
  sync: "step" | "microStep";
  optimum: number;
  /** Absent where the data may not be committed; the benchmark reads those from the data folder. */
  workloads?: number[];
}

const skewOf = (weights: Float64Array, shape: PlacementShape) =>
  measurePlacement(libraPlacement().place(weights, shape), weights, shape).stepSkew;

describe("libra against the exact optimum", () => {
  const file = new URL("../fixtures/exact-optimum.json", import.meta.url);
  const { problems } = JSON.parse(readFileSync(file, "utf8")) as { problems: Problem[] };
  const committed = problems.filter(({ workloads }) => workloads);

  test("is within 0.1 % of committed optima on real and generated lengths", () => {
    expect(problems.length).toBeGreaterThanOrEqual(30);
    expect(committed.length).toBeGreaterThanOrEqual(12);
    for (const { data, optimum, workloads, ...shape } of committed) {
      const weights = Float64Array.from(workloads!);
      const skew = skewOf(weights, { ...shape, stages: 1, backwardRatio: 2.5 });
      expect(skew, `${data} ${JSON.stringify(shape)}`).toBeLessThanOrEqual(optimum * 1.001);
    }
  });

  test("is the optimum that HiGHS finds for small steps", async () => {
    // Its types name the loader `default`, its CommonJS module is the loader.
    const highs = await (loadHighs as unknown as typeof loadHighs.default)();
    for (const [pools, poolSize] of [
      [2, 4],
      [3, 3],
      [4, 2],
    ] as const) {
      for (let seed = 0; seed < 2; seed++) {
        const lengths = lognormalLengths(pools * poolSize, seed, { median: 4000, sigma: 0.8 });
        const weights = Float64Array.from(lengths, (length) => (length * (length + 1)) / 2);
        const shape: PlacementShape = {
          pools,
          poolSize,
          microSteps: 1,
          sync: "step",
          stages: 1,
          backwardRatio: 2.5,
        };
        const solution = highs.solve(programOf(weights, pools, poolSize));
        expect(solution.Status).toBe("Optimal");
        expect(skewOf(weights, shape)).toBeLessThanOrEqual(solution.ObjectiveValue * 1.0003);
      }
    }
  });
});

/** The heaviest of equal bins, least: in LP format, x_i_b says that item i is in bin b. */
function programOf(weights: Float64Array, bins: number, size: number): string {
  const mean = weights.reduce((a, b) => a + b, 0) / bins;
  const items = [...weights.keys()];
  const all = Array.from({ length: bins }, (_, bin) => bin);
  const sum = (terms: string[]) => terms.join(" + ");
  return [
    "Minimize",
    " obj: L",
    "Subject To",
    ...items.map((i) => ` a${i}: ${sum(all.map((b) => `x${i}_${b}`))} = 1`),
    ...all.map((b) => ` c${b}: ${sum(items.map((i) => `x${i}_${b}`))} = ${size}`),
    ...all.map(
      (b) => ` l${b}: ${sum(items.map((i) => `${weights[i]! / mean} x${i}_${b}`))} - L <= 0`,
    ),
    "Binary",
    ` ${items.flatMap((i) => all.map((b) => `x${i}_${b}`)).join(" ")}`,
    "End",
  ].join("\n");
}
