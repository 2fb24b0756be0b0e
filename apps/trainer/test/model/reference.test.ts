import { describe, expect, it } from "vitest";
import { maxDifference, relativeDistance } from "../support/compare.js";
import { fixtureNames, readFixture } from "../support/fixture.js";
import { reference } from "../support/reference.js";

describe.each(fixtureNames)("the float64 reference on %s", (name) => {
  const fixture = readFixture(name);
  const targets = fixture.lengths.reduce((sum, length) => sum + length - 1, 0);
  const result = reference(fixture.sizes, fixture.weights, fixture.documents, 1 / targets);

  it("gives torch's logits and loss", () => {
    const logits = result.logits.flatMap((part) => [...part]);
    expect(maxDifference(logits, fixture.logits)).toBeLessThan(1e-5);
    expect(result.targets).toBe(targets);
    expect(Math.abs(result.lossSum / targets - fixture.loss)).toBeLessThan(1e-6);
  });

  it("gives torch's gradients", () => {
    for (const [key, expected] of fixture.gradients) {
      expect(relativeDistance(result.gradients.get(key)!, expected), key).toBeLessThan(1e-5);
    }
  });
});
