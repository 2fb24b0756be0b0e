import { describe, expect, it } from "vitest";
import { describePlan, explain, libra, timeline, toChromeTrace } from "../../src/index.js";
import { links } from "../support/links.js";
import { poolOf } from "../support/pools.js";

const pool = {
  ...poolOf(
    [
      [8, 6, 5],
      [4, 3, 2, 2, 2],
    ],
    2,
    8,
    2,
    1,
  ),
  nodes: { ranksPerNode: 2 },
};
const plan = libra({ tolerance: 0 }).plan(pool);
const timing = { links, secondsPerCost: 1e-6 };

describe("explain", () => {
  it("prints the totals and one line per worker", () => {
    const lines = explain(plan).trimEnd().split("\n");
    expect(lines).toHaveLength(3 + 4);
    expect(lines[0]).toMatch(/^libra: 4 workers, \d+ tiles in 4 chunks, workerSkew 1\.\d{4}/);
    expect(lines[1]).toMatch(/^bytes: self .*, sameNode .*, farther .*; busiest worker out: /);
    expect(new Set(lines.slice(2).map((line) => line.length)).size).toBe(1);
    expect(explain(plan, { ...timing, hops: 2 })).toMatch(/2 hops\npredicted: .* not hidden/);
  });

  it("describes a plan as plain data", () => {
    const description = JSON.parse(JSON.stringify(describePlan(plan, timing)));
    const { reports } = description;
    expect(reports).toHaveLength(4);
    const sum = (key: string, side: string) =>
      reports.reduce(
        (total: number, report: Record<string, Record<string, number>>) =>
          total + report[side]![key]!,
        0,
      );
    for (const name of ["self", "sameNode", "sameRack", "farther"]) {
      expect(sum(name, "bytesIn")).toBe(description.bytes[name]);
      expect(sum(name, "bytesOut")).toBe(description.bytes[name]);
    }
    expect(reports.reduce((held: number, r: { held: number }) => held + r.held, 0)).toBe(32 * 8);
    expect(Math.max(...reports.map((r: { peers: number }) => r.peers))).toBeGreaterThan(1);
    expect(Math.max(...reports.map((r: { foreignSequences: number }) => r.foreignSequences))).toBe(
      1,
    );
    expect(description.timeline.seconds).toBeGreaterThan(0);
  });
});

describe("toChromeTrace", () => {
  it("D5: one lane per worker, durations add up to the loads", () => {
    const { traceEvents } = JSON.parse(JSON.stringify(toChromeTrace(plan)));
    const lanes = new Float64Array(plan.workers);
    for (const event of traceEvents) if (event.ph === "X") lanes[event.tid]! += event.dur;
    expect(lanes).toEqual(plan.loads);
  });

  it("shows a timeline with one lane per worker and stream", () => {
    const { traceEvents } = toChromeTrace(plan, timeline(plan, timing));
    const lanes = new Set(traceEvents.map(({ pid, tid }) => `${pid} ${tid}`));
    expect(lanes.size).toBe(4 * 3);
    const attention = traceEvents.filter((event) => event.name.startsWith("attention"));
    const seconds = attention.reduce((sum, event) => sum + event.dur / 1e6, 0);
    expect(seconds).toBeCloseTo(plan.total * 1e-6, 12);
  });
});
