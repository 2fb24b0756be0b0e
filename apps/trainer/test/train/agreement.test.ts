import { describe, expect, it } from "vitest";
import { lengthsOf } from "../../src/data/documents.js";
import { samplerFor } from "../../src/train/step-layout.js";
import { relativeDistance } from "../support/compare.js";
import { reference } from "../support/reference.js";
import { firstStep, sameBits, tinyRun, trainTiny } from "../support/tiny-run.js";

const layouts = [
  { dp: 2, cp: 1 },
  { dp: 1, cp: 2 },
  { dp: 2, cp: 2 },
  { dp: 2, cp: 3 },
];
const ownedRowsAndSurplus = [
  ["contiguous", "heads"],
  ["zigzag", "heads"],
  ["striped", "documents"],
];
const planners = ["ulysses", "allGather", "libra"];
const single = { dp: 1, cp: 1 };
const combinations = [single, ...layouts].flatMap((layout) =>
  planners.map((planner) => ({ layout, planner })),
);

describe("the first step", { timeout: 60_000 }, () => {
  it("agrees with float64 on one rank, and on all layouts and planners with one rank", async () => {
    const run = tinyRun(single);
    const plan = samplerFor(run.config, lengthsOf(run.documents)).next();
    const segments = Array.from(plan.segmentLength, (length, segment) => {
      const document = run.documents.offsets[plan.segmentDocument[segment]!]!;
      const start = document + plan.segmentStart[segment]!;
      return run.documents.ids.subarray(start, start + length);
    });
    const exact = reference(run.sizes, run.start.values, segments, 1 / plan.targets);
    const one = await firstStep(run);
    expect(exact.targets).toBe(plan.targets);
    expect(Math.abs(one.loss / (exact.lossSum / plan.targets) - 1)).toBeLessThan(1e-6);
    const distance = new Map<string, number>();
    for (const [name, { data }] of one.gradients) {
      distance.set(name, relativeDistance(data, exact.gradients.get(name)!));
      expect(distance.get(name), name).toBeLessThan(1e-5);
    }
    for (const { layout, planner } of combinations) {
      const other = await firstStep(tinyRun(layout, { planner }));
      const label = `${planner} dp ${layout.dp} cp ${layout.cp}`;
      expect(Math.abs(other.loss / one.loss - 1), label).toBeLessThan(1e-6);
      for (const [name, { data }] of one.gradients) {
        const limit = Math.max(2e-6, 3 * distance.get(name)!);
        const apart = relativeDistance(other.gradients.get(name)!.data, data);
        expect(apart, `${label} ${name}`).toBeLessThanOrEqual(limit);
      }
    }
  });

  it("is bitwise the same under ulysses and libra when no KV group is cut", async () => {
    for (const layout of layouts.filter(({ cp }) => cp <= 2)) {
      for (const [ownedRows, surplus] of ownedRowsAndSurplus) {
        const ulysses = await firstStep(tinyRun(layout, { planner: "ulysses", ownedRows }));
        const strategy = { planner: "libra", granularity: "kvGroup", ownedRows, surplus };
        const libra = await firstStep(tinyRun(layout, strategy));
        expect(sameBits(libra, ulysses), JSON.stringify({ layout, ownedRows })).toBe(true);
      }
    }
  });

  it("is bitwise the same in any order that events allow", async () => {
    const run = () => tinyRun({ dp: 2, cp: 2 }, { planner: "libra" });
    const threaded = await firstStep(run());
    for (let seed = 0; seed < 8; seed += 1) {
      expect(sameBits(await firstStep(run(), { seed }), threaded), `seed ${seed}`).toBe(true);
    }
  });

  it("has bitwise the same loss under any cut", async () => {
    for (const layout of layouts) {
      const losses = [];
      for (const planner of planners) {
        losses.push((await firstStep(tinyRun(layout, { planner }))).loss);
      }
      expect(losses).toEqual([losses[0], losses[0], losses[0]]);
    }
  });
});

describe("20 training steps", { timeout: 60_000 }, () => {
  let trained: ReturnType<typeof trainTiny> | undefined;
  const baseline = () => {
    trained ??= trainTiny(tinyRun(single));
    return trained;
  };

  it("learn", async () => {
    const losses = (await baseline()).map(({ loss }) => loss);
    expect(losses).toHaveLength(20);
    expect(losses[19]).toBeLessThan(0.8 * losses[0]!);
  });

  it.each(combinations)("agree on $layout.dp × $layout.cp ranks with $planner", async (given) => {
    const { layout, planner } = given;
    const records = await trainTiny(tinyRun(layout, { planner }));
    for (const [step, { loss, targets }] of (await baseline()).entries()) {
      expect(Math.abs(records[step]!.loss / loss - 1), `step ${step}`).toBeLessThan(1e-5);
      expect(records[step]!.targets).toBe(targets);
    }
  });

  it("agree whatever the micro-steps and the pool (case B11)", async () => {
    const more = { batch: { window: 224, microSteps: 1, poolSize: 2 } };
    const records = await trainTiny(tinyRun({ dp: 4, cp: 1 }, {}, more));
    for (const [step, { loss }] of (await baseline()).entries()) {
      expect(Math.abs(records[step]!.loss / loss - 1), `step ${step}`).toBeLessThan(1e-5);
    }
  });

  it("give the same bits when run again", async () => {
    const [a, b] = [
      await trainTiny(tinyRun({ dp: 2, cp: 2 })),
      await trainTiny(tinyRun({ dp: 2, cp: 2 })),
    ];
    const numbers = (records: typeof a) =>
      records.map(({ loss, gradientNorm, planHash }) => [loss, gradientNorm, planHash]);
    expect(numbers(b)).toEqual(numbers(a));
  });

  it("give one rank's loss on two ranks to 1e-6 over five steps (case C24)", async () => {
    const five = { steps: 5, runtime: { checkPlansEvery: 1 } };
    const two = await trainTiny(tinyRun({ dp: 2, cp: 1 }, {}, five));
    for (const [step, { loss }] of two.entries()) {
      expect(Math.abs(loss / (await baseline())[step]!.loss - 1)).toBeLessThan(1e-6);
    }
  });
});

describe("a step's record", { timeout: 60_000 }, () => {
  it("tells skew before and after, times over ranks and speed", async () => {
    const [record] = await trainTiny(tinyRun({ dp: 2, cp: 1 }, {}, { steps: 1 }));
    expect(record!.skewBefore).toBeGreaterThanOrEqual(1);
    expect(record!.skewAfter).toBeLessThan(1.2);
    for (const phase of ["attention", "exchange", "wait", "other"] as const) {
      const { min, median, max } = record![phase];
      expect(min).toBeLessThanOrEqual(median);
      expect(median).toBeLessThanOrEqual(max);
    }
    expect(record!.attention.min).toBeGreaterThan(0);
    expect(record!.tokens).toBe(4 * 224);
    expect(record!.tokensPerSecond).toBeGreaterThan(0);
  });
});

describe("tails and fillers", { timeout: 60_000 }, () => {
  it("change nothing: a last step with fillers agrees with one rank", async () => {
    const batch = (dp: number) => ({ window: 224, microSteps: 4 / dp, dropLast: false });
    const steps = samplerFor(
      tinyRun(single, {}, { batch: batch(1) }).config,
      lengthsOf(tinyRun(single).documents),
    ).stepsPerEpoch;
    const one = await trainTiny(tinyRun(single, {}, { batch: batch(1), steps }));
    const four = await trainTiny(tinyRun({ dp: 4, cp: 1 }, {}, { batch: batch(4), steps }));
    expect(one.at(-1)!.tokens).toBeLessThan(4 * 224);
    for (const [step, { loss, targets }] of one.entries()) {
      expect(four[step]!.targets).toBe(targets);
      expect(Math.abs(four[step]!.loss / loss - 1), `step ${step}`).toBeLessThan(1e-5);
    }
  });
});
