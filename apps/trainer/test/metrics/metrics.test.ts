import { describe, expect, it } from "vitest";
import { PhaseHistory, phases } from "../../src/metrics/phase-history.js";
import { stepSkewOfRanks } from "../../src/metrics/skew.js";
import { percentile, spreadOf } from "../../src/metrics/spread.js";

const times = (attention: number[], rest = [0, 0, 0]) => ({
  attention: Float64Array.from(attention),
  exchange: Float64Array.from(rest),
  wait: Float64Array.from(rest),
  other: Float64Array.from(rest),
});

describe("spread over ranks", () => {
  it("gives least, median, greatest and who that is", () => {
    expect(spreadOf([3, 9, 1])).toEqual({ min: 1, median: 3, max: 9, worst: 1 });
    expect(spreadOf([4, 4])).toEqual({ min: 4, median: 4, max: 4, worst: 0 });
  });

  it("interpolates percentiles linearly (case D7)", () => {
    const values = Array.from({ length: 100 }, (_, i) => i + 1);
    expect([50, 90, 99, 100].map((p) => percentile(values, p))).toEqual([
      50.5,
      expect.closeTo(90.1, 12),
      expect.closeTo(99.01, 12),
      100,
    ]);
  });
});

describe("the history of phases", () => {
  it("tells a slow rank from a slow step (case D3)", () => {
    const chronic = new PhaseHistory();
    const once = new PhaseHistory();
    for (let step = 0; step < 50; step += 1) {
      chronic.add(times([10, 10, 14]));
      once.add(times([10, 10, step === 3 ? 200 : 10]));
    }
    const finding = (history: PhaseHistory) => history.report()[0]!;
    expect(finding(chronic)).toMatchObject({ phase: "attention", min: 10, median: 10, worst: 2 });
    expect(finding(chronic).chronic).toBeCloseTo(1.4, 9);
    expect(finding(once).worst).toBe(2);
    expect(finding(once).max).toBeGreaterThan(13);
    expect(finding(once).chronic).toBeLessThan(1.15);
  });

  it("stays as small as its window (case D4)", () => {
    const history = new PhaseHistory(100);
    for (let step = 0; step < 10_000; step += 1) history.add(times([1, 2, 3]));
    for (const phase of phases) expect(history.records(phase)).toHaveLength(100);
  });
});

describe("skew of a step over ranks", () => {
  it("is the slowest ÷ the mean when ranks meet at the step", () => {
    expect(stepSkewOfRanks([[30, 10]], 1, "step")).toBe(1.5);
    expect(
      stepSkewOfRanks(
        [
          [30, 10],
          [10, 30],
        ],
        1,
        "step",
      ),
    ).toBe(1);
  });

  it("counts every micro-step where ranks meet in each", () => {
    expect(
      stepSkewOfRanks(
        [
          [30, 10],
          [10, 30],
        ],
        1,
        "microStep",
      ),
    ).toBe(1.5);
    expect(
      stepSkewOfRanks(
        [
          [30, 10],
          [10, 30],
        ],
        2,
        "step",
      ),
    ).toBe(1.5);
  });

  it("is 1 without work", () => {
    expect(stepSkewOfRanks([[0, 0]], 1, "step")).toBe(1);
  });
});
