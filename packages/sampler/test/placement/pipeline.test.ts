import fc from "fast-check";
import { expect, test } from "vitest";
import { longestPath, Pipeline } from "../../src/placement/pipeline.js";
import { pipelineProfile } from "../../src/placement/pipeline-profile.js";

const makespan = (times: number[], stages: number, ratio = 2) =>
  new Pipeline(times.length, stages, ratio).makespan(Float64Array.from(times));

test("equal micro-steps take (M + stages − 1) times", () => {
  for (const stages of [1, 2, 4, 7]) {
    for (const count of [1, 2, 3, 8]) {
      expect(makespan(new Array<number>(count).fill(3), stages)).toBeCloseTo(
        3 * (count + stages - 1),
        9,
      );
    }
  }
});

test("two stages, two micro-steps: the recurrence by hand", () => {
  // Forward 1/3, backward 2/3. Stage 1 works from f1 on without a gap, then b2 on stage 0.
  expect(makespan([3, 6], 2)).toBeCloseTo(1 + 9 + 4, 9);
});

test("is at least the sum plus the way in and out, and grows with every time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(6),
      (times, stages, at) => {
        const total = times.reduce((a, b) => a + b, 0);
        const time = makespan(times, stages);
        const inAndOut = (times[0]! + 2 * times.at(-1)!) / 3;
        expect(time).toBeGreaterThanOrEqual(total + (stages - 1) * inAndOut - 1e-9);
        const longer = times.slice();
        longer[at % times.length]! += 5;
        expect(makespan(longer, stages)).toBeGreaterThanOrEqual(time);
      },
    ),
  );
});

test("the best profile rises and falls, beats equal micro-steps and is near its floor", () => {
  for (const [count, stages, ratio] of [
    [4, 2, 2],
    [4, 4, 2.5],
    [8, 4, 2.5],
    [16, 8, 1],
  ] as const) {
    const { pipeline, shares, floor } = pipelineProfile(count, stages, ratio);
    const least = pipeline.makespan(shares);
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(least).toBeLessThan(makespan(new Array(count).fill(1 / count), stages, ratio));
    expect(floor).toBeLessThanOrEqual(least);
    expect(floor).toBeGreaterThan(least * 0.985);
    const top = shares.indexOf(Math.max(...shares));
    expect(shares[0]).toBeLessThan(shares[top]!);
    expect(shares.at(-1)).toBeLessThan(shares[top]!);
  }
  for (const share of pipelineProfile(3, 1, 2).shares) expect(share).toBeCloseTo(1 / 3, 12);
  expect(pipelineProfile(3, 1, 2).floor).toBeCloseTo(1, 12);
});

test("no split is below the floor, and the longest path is the makespan's slope", () => {
  const positive = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      positive.filter((times) => times.some((time) => time > 0)),
      fc.integer({ min: 1, max: 4 }),
      (times, stages) => {
        const total = times.reduce((a, b) => a + b, 0);
        const { pipeline, floor } = pipelineProfile(times.length, stages, 2.5);
        const time = pipeline.makespan(Float64Array.from(times));
        expect(time).toBeGreaterThanOrEqual(floor * total * (1 - 1e-12));
        const path = longestPath(pipeline, Float64Array.from(times));
        expect(path.reduce((sum, share, m) => sum + share * times[m]!, 0)).toBeCloseTo(time, 9);
      },
    ),
  );
});
