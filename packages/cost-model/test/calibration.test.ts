import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CalibrationSample,
  callTime,
  documentCost,
  fitCalibration,
  formatProfile,
  linearTimer,
  type Pass,
  type PassCoefficients,
  parseProfile,
  profileCost,
  profileTimer,
} from "../src/index.js";

const rowBlock = 64;
const passes: readonly Pass[] = ["forward", "backward"];
const truth: PassCoefficients = {
  forward: { launch: 5e-6, pairs: 3e-12, rows: 4e-9, keys: 2e-9, segment: 1e-6 },
  backward: { launch: 8e-6, pairs: 8e-12, rows: 9e-9, keys: 0, segment: 2e-6 },
};

function measure(noise: (index: number) => number): CalibrationSample[] {
  const timer = linearTimer(truth, rowBlock);
  const shapes = [1, 17, 64, 200, 512, 1000, 3000].flatMap((rows) => [
    [{ heads: 1, rows, keys: rows, causal: true }],
    [{ heads: 4, rows, keys: 3 * rows + 5, causal: false }],
    [
      { heads: 2, rows, keys: rows + 100, causal: true },
      { heads: 3, rows: 40, keys: 700, causal: false },
    ],
  ]);
  return passes.flatMap((pass) =>
    shapes.map((segments, i) => ({
      pass,
      segments,
      seconds: callTime(timer, pass, segments) * noise(i),
    })),
  );
}

const fitted = () => ({
  version: 1 as const,
  device: "test device",
  kernel: "cpu/avx2",
  dtype: "float32",
  headDim: 64,
  rowBlock,
  date: "2025-01-31",
  ...fitCalibration(
    measure(() => 1),
    rowBlock,
  ),
});

describe("fitCalibration", () => {
  it("finds the coefficients behind exact measurements", () => {
    const { coefficients, error } = fitCalibration(
      measure(() => 1),
      rowBlock,
    );
    for (const pass of passes) {
      for (const key of ["launch", "pairs", "rows", "keys", "segment"] as const) {
        expect(coefficients[pass][key]).toBeCloseTo(truth[pass][key], 14);
      }
      expect(error[pass].largest).toBeLessThan(1e-6);
    }
  });

  it("stays non-negative and close under noise", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 21, maxLength: 21 }),
        (percent) => {
          const { coefficients, error } = fitCalibration(
            measure((i) => 1 + percent[i]! / 100),
            rowBlock,
          );
          for (const pass of passes) {
            for (const value of Object.values(coefficients[pass]))
              expect(value).toBeGreaterThanOrEqual(0);
            expect(error[pass].median).toBeLessThanOrEqual(0.06);
            expect(error[pass].largest).toBeGreaterThanOrEqual(error[pass].median);
          }
        },
      ),
    );
  });

  it("refuses what is no measurement", () => {
    const [sample] = measure(() => 1);
    expect(() => fitCalibration([sample!], rowBlock)).toThrow("at least one backward sample");
    expect(() => fitCalibration([{ ...sample!, seconds: 0 }], rowBlock)).toThrow(
      "samples[0].seconds",
    );
    const huge = { heads: 1, rows: 1e9, keys: 1e9, causal: false };
    expect(() => fitCalibration([{ ...sample!, segments: [huge] }], rowBlock)).toThrow("2^53");
  });
});

describe("profile", () => {
  it("keeps its error on calls that the fit has not seen", () => {
    const heldOut = { median: 0.03, p95: 0.08, calls: 22 };
    const profile = { ...fitted(), error: { ...fitted().error, heldOut } };
    expect(parseProfile(formatProfile(profile)).error.heldOut).toEqual(heldOut);
    const wrong = { ...profile, error: { ...profile.error, heldOut: { ...heldOut, p95: -1 } } };
    expect(() => parseProfile(JSON.stringify(wrong))).toThrow("profile.error.heldOut.p95");
    const more = { ...profile, error: { ...profile.error, heldOut: { ...heldOut, p99: 1 } } };
    expect(() => parseProfile(JSON.stringify(more))).toThrow(
      "Unknown key profile.error.heldOut.p99; valid: median, p95, calls",
    );
  });

  it("survives JSON and describes a timer and a planning cost", () => {
    const profile = parseProfile(formatProfile(fitted()));
    expect(profile).toEqual(fitted());
    const segments = [{ heads: 2, rows: 128, keys: 128, causal: true }];
    expect(callTime(profileTimer(profile), "forward", segments)).toBeCloseTo(
      callTime(linearTimer(truth, rowBlock), "forward", segments),
      12,
    );
    expect(profileCost(profile).rowBlock).toBe(rowBlock);
    expect(documentCost(profileCost(profile), 1000)).toBeGreaterThan(0);
  });

  const edits: [string, (profile: Record<string, unknown>) => unknown, string][] = [
    [
      "another version",
      (p) => ({ ...p, version: 2 }),
      "Expected 1 for profile.version but received 2",
    ],
    ["an unknown key", (p) => ({ ...p, colour: "red" }), "Unknown key profile.colour"],
    ["a missing text", (p) => ({ ...p, device: undefined }), "profile.device"],
    [
      "a wrong size",
      (p) => ({ ...p, headDim: 0.5 }),
      "Expected a positive integer for profile.headDim but received 0.5",
    ],
    ["a wrong day", (p) => ({ ...p, date: "yesterday" }), "profile.date"],
    ["no coefficients", (p) => ({ ...p, coefficients: [] }), "profile.coefficients"],
    [
      "a negative coefficient",
      (p) => ({ ...p, coefficients: { ...truth, forward: { ...truth.forward, rows: -1 } } }),
      "Expected a non-negative number for profile.coefficients.forward.rows but received -1",
    ],
    [
      "a missing error",
      (p) => ({ ...p, error: { forward: { median: 0 } } }),
      "profile.error.forward.largest",
    ],
  ];
  it.each(edits)("refuses %s", (_, edit, message) => {
    expect(() => parseProfile(JSON.stringify(edit({ ...fitted() })))).toThrow(message);
    expect(() => parseProfile(JSON.stringify(edit({ ...fitted() })))).toThrowError(
      expect.objectContaining({ code: "FORMAT" }),
    );
  });

  it("refuses text that is no JSON", () => {
    expect(() => parseProfile("{")).toThrow("no JSON");
  });
});
