import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histogram } from "../../src/chart/histogram.js";
import { stackedBars } from "../../src/chart/stacked-bars.js";
import { type Wait, waitMatrix } from "../../src/chart/wait-matrix.js";
import { escapeText, formatCount, formatSeconds, formatTokens } from "../../src/format.js";

const positive = fc.double({ min: 0, max: 1e6, noNaN: true });

describe("histogram", () => {
  it("puts every value into one bar", () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 200 }), (values) => {
        const { table } = histogram("h", "x", "things", [{ name: "a", color: "plain", values }]);
        const shares = table.rows.map((row) => Number.parseFloat(row[3]!));
        const sum = shares.reduce((a, b) => a + b, 0);
        expect(Math.abs(sum - 100)).toBeLessThanOrEqual(0.05 * shares.length + 1e-9);
      }),
      { examples: [[[5e-324, 0]]] },
    );
  });

  it("draws values that are all alike", () => {
    const same = { name: "a", color: "plain", values: [1, 1, 1] } as const;
    expect(histogram("h", "x", "ranks", [same]).draw(340)).toContain("100.0 % of ranks");
  });
});

describe("stacked bars", () => {
  it("lie end to end and stay inside the drawing", () => {
    const parts = [
      { label: "one", color: "attention" },
      { label: "two", color: "linear" },
    ] as const;
    fc.assert(
      fc.property(fc.array(fc.tuple(positive, positive), { minLength: 1, maxLength: 5 }), (all) => {
        const bars = all.map((seconds, i) => ({ name: `bar ${i}`, note: "", seconds }));
        const svg = stackedBars("b", parts, bars).draw(340);
        for (const [, width, x] of svg.matchAll(/<rect[^>]* width="([\d.]+)" x="([\d.]+)"/g)) {
          expect(Number(x) + Number(width)).toBeLessThanOrEqual(340);
        }
        expect(svg.includes("NaN")).toBe(false);
      }),
      { numRuns: 20 },
    );
  });
});

describe("who waits for whom", () => {
  it("sums what two ranks wait for each other, the longest first", () => {
    const wait = fc.record({
      waiting: fc.integer({ min: 0, max: 40 }),
      waitedFor: fc.integer({ min: 0, max: 40 }),
      seconds: positive,
    });
    fc.assert(
      fc.property(fc.array(wait, { maxLength: 60 }), (waits: Wait[]) => {
        const { table, draw } = waitMatrix("w", waits, (rank) => `rank ${rank}`);
        const pairs = waits
          .filter(({ seconds }) => seconds > 0)
          .map(({ waiting, waitedFor }) => `${waiting} ${waitedFor}`);
        expect(table.rows.length).toBe(new Set(pairs).size);
        expect(draw(340).startsWith("<svg ")).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe("figures", () => {
  it("read well", () => {
    expect([0, 1.5e-6, 0.0123, 1.4567, 75, 300].map(formatSeconds)).toEqual([
      "0 s",
      "1.50 µs",
      "12.3 ms",
      "1.46 s",
      "75.0 s",
      "5.00 min",
    ]);
    expect([999, 1000, 1234567].map(formatCount)).toEqual(["999", "1,000", "1,234,567"]);
    expect([1000, 4096, 2 ** 20].map(formatTokens)).toEqual(["1,000", "4K", "1M"]);
    expect(escapeText(`<a href="b">&`)).toBe("&lt;a href=&quot;b&quot;&gt;&amp;");
  });
});
