import { describe, expect, it } from "vitest";
import { maxDifference, relativeDistance } from "../support/compare.js";
import { fixtureNames, readFixture } from "../support/fixture.js";
import { rowsOf, runCase } from "../support/on-ranks.js";

const strategies = [
  { cp: 1, planner: "ulysses", zigzag: false },
  { cp: 2, planner: "ulysses", zigzag: false },
  { cp: 2, planner: "libra", zigzag: false },
  { cp: 2, planner: "libra", zigzag: true },
  { cp: 3, planner: "allGather", zigzag: true },
  { cp: 5, planner: "libra", zigzag: false },
];

describe.each(fixtureNames)("%s against Hugging Face in float32", { timeout: 60_000 }, (name) => {
  const fixture = readFixture(name);
  const { sizes, weights, documents, lengths } = fixture;
  const targets = lengths.reduce((sum, length) => sum + length - 1, 0);

  it.each(strategies)("agrees on $cp ranks, $planner, zigzag $zigzag", async (strategy) => {
    const given = { sizes, weights, ...rowsOf(documents), ...strategy, scale: 1 / targets };
    const result = await runCase(given);
    expect(maxDifference(result.logits, fixture.logits)).toBeLessThan(1e-5);
    expect(result.targets).toBe(targets);
    expect(Math.abs(result.lossSum / targets - fixture.loss)).toBeLessThan(1e-6 * fixture.loss);
    for (const [key, expected] of fixture.gradients) {
      expect(relativeDistance(result.gradients.get(key)!, expected), key).toBeLessThan(1e-4);
    }
  });
});
