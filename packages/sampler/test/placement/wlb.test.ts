import { pairsCost } from "@libra/cost-model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSampler, planHash, type SamplerOptions, type StepPlan } from "../../src/index.js";
import type { SegmentTable } from "../../src/packing/types.js";
import { wlbPlacement } from "../../src/placement/wlb.js";
import { lognormalLengths, plain, sum } from "../helpers.js";

const table = (lengths: readonly number[], perSequence = 1): SegmentTable => ({
  offsets: Uint32Array.from(
    { length: lengths.length / perSequence + 1 },
    (_, i) => i * perSequence,
  ),
  document: Uint32Array.from(lengths.keys()),
  start: new Uint32Array(lengths.length),
  length: Uint32Array.from(lengths),
});

const context = { slots: 2, window: 100, alignment: 1, cost: pairsCost() };

const packs = (segments: SegmentTable) =>
  Array.from({ length: segments.offsets.length - 1 }, (_, i) =>
    plain(segments.length.subarray(segments.offsets[i], segments.offsets[i + 1])),
  );

describe("wlb", () => {
  test("a long document waits until its queue has one for every packed sequence", () => {
    const run = wlbPlacement().begin(context);
    const first = run.repack(table([80, 10, 20, 5], 2));
    expect(packs(first.segments)).toEqual([[20], [10, 5]]);
    expect(first.report).toMatchObject({ waitingDocuments: 1, waitingTokens: 80 });
    const second = run.repack(table([90, 10, 20, 5], 2));
    expect(packs(second.segments)).toEqual([
      [90, 10],
      [80, 20],
    ]);
    expect(second.report).toMatchObject({ delayedDocuments: 1, delaySteps: 1, extraTokens: 0 });
    expect(second.report.waitingDocuments).toBe(1);
  });

  test("the remainder goes first in the next step, and takes the room of arriving sequences", () => {
    const run = wlbPlacement({ thresholds: [] }).begin(context);
    const { report } = run.repack(table([60, 60, 60, 40, 1, 1], 3));
    expect(report.waitingDocuments).toBe(1);
    expect(run.wanted).toBe(2);
    expect(packs(run.repack(table([50, 50, 1, 1], 2)).segments)).toEqual([
      [60, 1, 1],
      [50, 50],
    ]);
    run.repack(table([90, 90, 90, 90], 2));
    expect(run.wanted).toBe(1);
  });

  test("a cap above the window is reported as extra tokens", () => {
    const run = wlbPlacement({ thresholds: [], cap: 1.25 }).begin(context);
    const { report, segments } = run.repack(table([60, 60, 60, 20], 2));
    expect(packs(segments)).toEqual([
      [60, 60],
      [60, 20],
    ]);
    expect(report.extraTokens).toBe(20);
  });

  test("refuses a cap below the window, unordered thresholds and another run's queues", () => {
    expect(() => wlbPlacement({ cap: 0.5 })).toThrow(/for cap but received 0.5/);
    expect(() => wlbPlacement({ thresholds: [0.5, 0.25] })).toThrow(/ascending shares/);
    const saved = wlbPlacement().begin(context).state();
    expect(() => wlbPlacement({ thresholds: [0.5] }).begin(context, saved)).toThrow(/queues/);
  });
});

describe("a sampler that repacks", () => {
  const options: SamplerOptions = {
    lengths: lognormalLengths(3000, 5, { median: 200, sigma: 1.2, clip: 4000 }),
    window: 1024,
    dp: 4,
    microSteps: 2,
    placement: "wlb",
  };
  const take = (count: number, sampler: { next(): StepPlan }) =>
    Array.from({ length: count }, () => sampler.next());

  test("packs every token once in an epoch and a queue, and reports what it did", () => {
    const sampler = createSampler({ ...options, dropLast: false });
    const lengths = options.lengths as Uint32Array;
    const seen = new Float64Array(lengths.length);
    let waiting = 0;
    for (let plan = sampler.next(); plan.epoch === 0; plan = sampler.next()) {
      plan.segmentDocument.forEach((document, i) => {
        seen[document]! += plan.segmentLength[i]!;
      });
      expect(plan.repacked).toBeDefined();
      expect(plan.placement).toBe("wlb");
      expect(Math.max(...cuTotals(plan))).toBeLessThanOrEqual(1024);
      waiting = plan.repacked!.waitingTokens;
    }
    expect(sum(seen) + waiting).toBe(sum(lengths));
    seen.forEach((tokens, i) => {
      expect(tokens).toBeLessThanOrEqual(lengths[i]!);
    });
  });

  test("balances better than arrival", () => {
    const plans = take(12, createSampler(options)).slice(4);
    const arrival = take(12, createSampler({ ...options, placement: "arrival" })).slice(4);
    const mean = (list: StepPlan[]) => sum(list.map((plan) => plan.stepSkew)) / list.length;
    expect(mean(plans)).toBeLessThan(mean(arrival));
  });

  test("plan replays, and restore continues with the queues", () => {
    fc.assert(
      fc.property(fc.nat(20), (steps) => {
        const whole = createSampler(options);
        const plans = take(steps + 3, whole);
        const other = createSampler(options);
        const { epoch, step } = plans.at(-1)!;
        expect(planHash(other.plan(epoch, step))).toBe(planHash(plans.at(-1)!));
        expect(planHash(other.plan(0, 0))).toBe(planHash(plans[0]!));
        const first = createSampler(options);
        take(steps, first);
        const second = createSampler(options);
        second.restore(JSON.parse(JSON.stringify(first.state())));
        expect(take(3, second).map(planHash)).toEqual(plans.slice(steps).map(planHash));
      }),
      { numRuns: 8 },
    );
  });

  test("its state fits no other placement", () => {
    const state = createSampler(options).state();
    expect(() => createSampler({ ...options, placement: "libra" }).restore(state)).toThrow(
      /packing is concatSplit.* but was concatSplit.*wlb/,
    );
  });
});

function cuTotals(plan: StepPlan): number[] {
  return Array.from({ length: plan.sequence.length }, (_, slot) =>
    sum(plan.segmentLength.subarray(plan.segmentOffsets[slot], plan.segmentOffsets[slot + 1])),
  );
}
