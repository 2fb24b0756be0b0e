import type { Highs } from "highs";
import { beforeAll, describe, expect, it } from "vitest";
import { libra, type PoolInput } from "../../src/index.js";
import { poolOf } from "../support/pools.js";

let solver: Highs;
beforeAll(async () => {
  // The package is CommonJS, which its types do not say: the default import is the loader itself.
  const loader: unknown = (await import("highs")).default;
  solver = await (loader as () => Promise<Highs>)();
});

// Costs of the smallest pieces that the planner may hand out: a row block of one query head.
function pieces(input: PoolInput): number[] {
  const { queryHeads } = input.heads;
  const costs: number[] = [];
  for (const cu of input.sequences) {
    for (let d = 1; d < cu.length; d++) {
      const length = cu[d]! - cu[d - 1]!;
      for (let row = 0; row < length; row += input.cost.rowBlock) {
        const end = Math.min(length, row + input.cost.rowBlock);
        const cost = input.cost.prefix(end) - input.cost.prefix(row);
        for (let h = 0; h < queryHeads; h++) costs.push(cost);
      }
    }
  }
  return costs;
}

// The least makespan of any assignment of the pieces, by mixed-integer programming.
function optimum(costs: readonly number[], workers: number): number {
  const range = Array.from({ length: workers }, (_, w) => w);
  const lines = costs.map((_, i) => ` p${i}: ${range.map((w) => `x${i}_${w}`).join(" + ")} = 1`);
  for (const w of range) {
    const load = costs.map((cost, i) => `${cost} x${i}_${w}`).join(" + ");
    lines.push(` l${w}: ${load} - m <= 0`);
  }
  const binaries = costs.flatMap((_, i) => range.map((w) => `x${i}_${w}`));
  const model = `Minimize\n obj: m\nSubject To\n${lines.join("\n")}\nBinary\n ${binaries.join("\n ")}\nEnd`;
  return solver.solve(model).ObjectiveValue;
}

describe("the Libra planner against the exact optimum", () => {
  const cases: [string, PoolInput][] = [
    ["one document, three ranks", poolOf([[12]], 3, 2, 1, 4)],
    ["C23", poolOf([[4, 12]], 2, 1, 1, 4)],
    ["long against short", poolOf([[16], [4, 4, 4, 4]], 1, 2, 1, 4)],
    [
      "two KV groups",
      poolOf(
        [
          [12, 4],
          [8, 8],
        ],
        1,
        4,
        2,
        4,
      ),
    ],
    ["three groups", poolOf([[14], [6, 5], [3, 3, 2]], 1, 2, 1, 4)],
  ];
  for (const [name, input] of cases) {
    it(`stays within its guarantee: ${name}`, () => {
      const costs = pieces(input);
      const plan = libra({ tolerance: 0 }).plan(input);
      const best = optimum(costs, plan.workers);
      const makespan = Math.max(...plan.loads);
      expect(best).toBeGreaterThanOrEqual(plan.total / plan.workers);
      expect(makespan).toBeGreaterThanOrEqual(best);
      const group = input.heads.queryHeads / input.heads.kvHeads;
      expect(makespan).toBeLessThanOrEqual(best + group * Math.max(...costs));
    });
  }
});
