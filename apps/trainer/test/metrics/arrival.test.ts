import { createSampler } from "@libra/sampler";
import { expect, it } from "vitest";
import { arrivalLoads, arrivalSkewOf, corpusSkew } from "../../src/metrics/arrival.js";

const pairs = (length: number) => (length * (length + 1)) / 2;

// Windows of 4 tokens in the corpus's order: one document of 4, then four of 1, and so on.
const lengths = [4, 1, 1, 1, 1, 2, 2, 4];

it("the skew before balancing is that of the sequences in the order they came", () => {
  const options = { lengths, window: 4, dp: 2, microSteps: 2, poolSize: 2, shuffle: false };
  const plan = createSampler(options).next();
  expect(arrivalLoads(plan).map((row) => [...row])).toEqual([
    [pairs(4), 4],
    [2 * pairs(2), pairs(4)],
  ]);
  expect(arrivalSkewOf(plan)).toBeCloseTo(16 / 15, 12);
  const everyMicroStep = createSampler({ ...options, sync: "microStep" }).next();
  expect(arrivalSkewOf(everyMicroStep)).toBeCloseTo(20 / 15, 12);
});

it("a corpus's Σmax ÷ Σmean goes over the steps of an epoch", () => {
  const sampler = createSampler({ lengths, window: 4, dp: 2, shuffle: false });
  expect(corpusSkew(sampler)).toEqual({ skew: (10 + 10) / (7 + 8), steps: 2 });
});
