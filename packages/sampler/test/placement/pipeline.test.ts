import fc from "fast-check";
import { expect, test } from "vitest";
import { pipelineMakespan } from "../../src/placement/pipeline.js";

const makespan = (times: number[], stages: number, ratio = 2) =>
  pipelineMakespan(Float64Array.from(times), stages, ratio);

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
