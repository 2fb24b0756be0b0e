import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AttentionTimer,
  attentionFlops,
  callTime,
  causalMask,
  causalPairs,
  efficiencyTimer,
  fullMask,
  hardware,
  hardwareTimer,
  interpolateEfficiency,
  linearTimer,
  slidingMask,
} from "../src/index.js";

const pass = { launch: 5e-6, pairs: 3e-12, rows: 4e-9, keys: 2e-9, segment: 1e-6 };
const linear = linearTimer({ forward: pass, backward: { ...pass, pairs: 8e-12 } }, 64);

describe("linearTimer", () => {
  it("is launch + heads · Σ (α·paddedPairs + β·rows + γ·keys + δ)", () => {
    const segments = [
      { heads: 4, rows: 100, keys: 100, causal: true },
      { heads: 2, rows: 64, keys: 300, causal: false },
    ];
    const first = 3e-12 * (causalPairs(0, 100) + 28 * 100) + 4e-9 * 100 + 2e-9 * 100 + 1e-6;
    const second = 3e-12 * 64 * 300 + 4e-9 * 64 + 2e-9 * 300 + 1e-6;
    expect(callTime(linear, "forward", segments)).toBeCloseTo(5e-6 + 4 * first + 2 * second, 15);
  });

  it("charges nothing but the launch without work", () => {
    expect(callTime(linear, "forward", [])).toBe(5e-6);
    expect(linear.segment("backward", causalMask, 0, 10)).toBe(0);
    expect(linear.segment("backward", fullMask, 10, 0)).toBe(0);
  });
});

describe("interpolateEfficiency", () => {
  const table = {
    rows: [128, 512, 4096],
    keys: [256, 1024],
    shares: [
      [0.1, 0.2],
      [0.2, 0.4],
      [0.3, 0.8],
    ],
  };

  it("meets the table, power laws between, edges outside", () => {
    expect(interpolateEfficiency(table, 512, 1024)).toBe(0.4);
    expect(interpolateEfficiency(table, 256, 512)).toBeCloseTo(0.2, 12);
    expect(interpolateEfficiency(table, 1, 1)).toBe(0.1);
    expect(interpolateEfficiency(table, 1e6, 1e6)).toBe(0.8);
  });

  it("stays within the table's shares", () => {
    const length = fc.integer({ min: 1, max: 100000 });
    fc.assert(
      fc.property(length, length, (rows, keys) => {
        const share = interpolateEfficiency(table, rows, keys);
        expect(share).toBeGreaterThanOrEqual(0.1);
        expect(share).toBeLessThanOrEqual(0.8);
      }),
    );
  });
});

const presets = Object.values(hardware).map((preset): [string, AttentionTimer] => [
  preset.name,
  hardwareTimer(preset),
]);

describe.each([["linear", linear] as [string, AttentionTimer], ...presets])(
  "%s timer",
  (_, timer) => {
    const length = fc.integer({ min: 1, max: 200000 });
    const passes = fc.constantFrom("forward" as const, "backward" as const);

    it("takes longer for more keys and for more rows", () => {
      fc.assert(
        fc.property(
          passes,
          length,
          length,
          fc.nat({ max: 5000 }),
          (direction, rows, keys, more) => {
            const time = (r: number, k: number) => timer.segment(direction, fullMask, r, k);
            expect(time(rows, keys)).toBeGreaterThan(0);
            expect(time(rows, keys + more)).toBeGreaterThanOrEqual(time(rows, keys) * (1 - 1e-9));
            expect(time(rows + more, keys)).toBeGreaterThanOrEqual(time(rows, keys) * (1 - 1e-9));
          },
        ),
      );
    });

    it("takes longer for longer documents, and less for causal than for full from a row block on", () => {
      fc.assert(
        fc.property(passes, length, fc.nat({ max: 5000 }), (direction, rows, more) => {
          const time = (r: number) => timer.segment(direction, causalMask, r, r);
          expect(time(rows + more)).toBeGreaterThanOrEqual(time(rows) * (1 - 1e-9));
          if (rows < 128) return;
          expect(time(rows)).toBeLessThanOrEqual(
            timer.segment(direction, fullMask, rows, rows) * (1 + 1e-9),
          );
        }),
      );
    });
  },
);

describe("hardware timers", () => {
  it.each([
    ["h100", "forward", 16384, true, 616],
    ["h100", "forward", 8192, false, 646],
    ["h100", "backward", 4096, false, 542],
    ["a100", "forward", 4096, true, 156.27],
    ["b200", "forward", 8192, false, 1358],
    ["b200", "forward", 2048, true, 927],
  ] as const)(
    "%s %s of %i rows meets the published figure",
    (name, direction, rows, causal, speed) => {
      const preset = hardware[name];
      const mask = causal ? causalMask : fullMask;
      const seconds = hardwareTimer(preset).segment(direction, mask, rows, rows);
      const pairs = causal ? causalPairs(0, rows) : rows * rows;
      const flops = attentionFlops(direction, { headDim: 128, valueDim: 128 }, pairs);
      expect(flops / seconds / 1e12).toBeCloseTo(speed, 6);
    },
  );

  it("is continuous where the causal table ends and where a segment becomes a document", () => {
    const timer = hardwareTimer(hardware.b200);
    const at = (rows: number) => timer.segment("forward", causalMask, rows, rows);
    expect(at(4097) / at(4096)).toBeLessThan(1.08);
    expect(at(4224) / at(4096)).toBeLessThan(1.08);
    const whole = timer.segment("forward", causalMask, 4096, 4096);
    expect(timer.segment("forward", causalMask, 4096, 4097) / whole).toBeLessThan(1.001);
  });

  it("reads a sliding window as a band, and a wide one as causal", () => {
    const timer = hardwareTimer(hardware.h100);
    const band = timer.segment("forward", slidingMask(512), 8192, 8192);
    expect(band).toBeLessThan(timer.segment("forward", causalMask, 8192, 8192) / 4);
    expect(timer.segment("forward", slidingMask(8192), 8192, 8192)).toBe(
      timer.segment("forward", causalMask, 8192, 8192),
    );
  });

  it("refuses tables that do not fit their axes", () => {
    const good = { rows: [1], keys: [128, 256], shares: [[0.3, 0.4]] };
    const table = (full: typeof good) => () =>
      efficiencyTimer({
        name: "x",
        peak: 1e12,
        headDim: 64,
        forward: { full, causal: good },
        backward: { full: good, causal: good },
      });
    expect(table(good)).not.toThrow();
    expect(table({ ...good, shares: [[0.3]] })).toThrow("forward.full.shares[0]");
    expect(table({ ...good, shares: [[0.3, 1.5]] })).toThrow("from 5e-324 to 1");
    expect(table({ ...good, keys: [256, 128] })).toThrow("forward.full.keys[1]");
    expect(table({ ...good, rows: [], shares: [] })).toThrow("at least one length");
  });
});
