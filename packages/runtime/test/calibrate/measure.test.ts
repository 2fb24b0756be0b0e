import { type CalibrationSample, callTime, linearTimer } from "@libra/cost-model";
import { describe, expect, it } from "vitest";
import { attentionCall, calibrationCalls } from "../../src/calibrate/attention-calls.js";
import { errorOf } from "../../src/calibrate/calibrate.js";
import { fitLink } from "../../src/calibrate/measure-exchange.js";
import { measureRounds, percentile } from "../../src/calibrate/rounds.js";

const heads = { kvHeads: 2, group: 4 };

describe("calls", () => {
  it("list a segment for each part and KV head, none over another's vectors", () => {
    const parts = [
      { rows: 5, keys: 5, causal: true },
      { rows: 3, keys: 7, causal: false },
    ];
    const { segments, shapes, queries, keys } = attentionCall(parts, heads);
    expect(segments.count).toBe(4);
    expect([queries, keys]).toEqual([8 * 8, 2 * 5 + 2 * 7]);
    expect([...segments.queryOffset]).toEqual([0, 4, 40, 44]);
    expect([...segments.keyOffset]).toEqual([0, 5, 10, 17]);
    expect(shapes.map(({ heads: count, rows }) => [count, rows])).toEqual([
      [4, 5],
      [4, 5],
      [4, 3],
      [4, 3],
    ]);
  });

  it("are apart for fit and check, and their variants fit in the largest buffers", () => {
    const { fitted, heldOut } = calibrationCalls(1024, heads);
    const names = new Set(fitted.map(({ name }) => name));
    expect(heldOut.filter(({ name }) => names.has(name))).toEqual([]);
    const all = [...fitted, ...heldOut];
    const most = Math.max(...all.map(({ queries }) => queries));
    for (const { variants, queries } of all) {
      const last = variants[variants.length - 1]!;
      expect(Math.max(...last.queryOffset) - 4 + queries).toBeLessThanOrEqual(most + queries);
      expect(variants.length * queries).toBeLessThanOrEqual(most);
    }
  });
});

describe("figures", () => {
  it("are medians of the rounds that the time allows, after a round that warms up", async () => {
    let calls = 0;
    const values = [9, 1, 5, 3, 100];
    const measure = async () => values[calls++]!;
    expect(await measureRounds([measure], { seconds: 60, most: 4 })).toEqual([4]);
    calls = 0;
    expect(await measureRounds([measure], { seconds: 0 })).toEqual([1]);
    expect(calls).toBe(2);
    expect(percentile([1, 2, 3, 4, 5], 0.95)).toBeCloseTo(4.8);
  });

  it("find latency and bandwidth behind exact exchanges", () => {
    const bytes = [16, 128, 1024, 4096, 16384].map((vectors) => vectors * 256);
    const seconds = bytes.map((count) => 5e-6 + count / 2e10);
    const { latency, bandwidth } = fitLink(bytes, seconds);
    expect(latency).toBeCloseTo(5e-6, 10);
    expect(bandwidth / 2e10).toBeCloseTo(1, 6);
  });

  it("count errors of predictions against measurements", () => {
    const times = { launch: 1e-6, pairs: 1e-9, rows: 0, keys: 0, segment: 0 };
    const coefficients = { forward: times, backward: times };
    const segments = [{ heads: 1, rows: 10, keys: 10, causal: true }];
    const seconds = callTime(linearTimer(coefficients, 1), "forward", segments);
    const samples: CalibrationSample[] = [
      { pass: "forward", segments, seconds },
      { pass: "backward", segments, seconds: 2 * seconds },
    ];
    expect(errorOf(coefficients, 1, samples, "forward")).toEqual({ median: 0, p95: 0, calls: 1 });
    expect(errorOf(coefficients, 1, samples).median).toBeCloseTo(0.25);
  });
});
