import { describe, expect, it } from "vitest";
import { explain, libra, reportWorkers, toChromeTrace } from "../src/index.js";
import { poolOf } from "./support/pools.js";

const plan = libra({ tolerance: 0 }).plan(
  poolOf(
    [
      [8, 6, 5],
      [4, 3, 2, 2, 2],
    ],
    2,
    8,
    2,
    1,
  ),
);

describe("explain", () => {
  it("prints the totals and one line per worker", () => {
    const lines = explain(plan).trimEnd().split("\n");
    expect(lines).toHaveLength(2 + 4);
    expect(lines[0]).toMatch(/^libra: 4 workers, \d+ tiles, workerSkew 1\.\d{4} \(bound 1\.0000\)/);
    expect(new Set(lines.slice(1).map((line) => line.length)).size).toBe(1);
  });

  it("counts what crosses between workers once on each side", () => {
    const reports = reportWorkers(plan);
    const sum = (key: "queryIn" | "queryOut" | "keyIn" | "keyOut") =>
      reports.reduce((total, report) => total + report[key], 0);
    expect(sum("queryIn")).toBe(sum("queryOut"));
    expect(sum("keyIn")).toBe(sum("keyOut"));
    expect(reports.reduce((total, report) => total + report.held, 0)).toBe(32 * 8);
    expect(Math.max(...reports.map((report) => report.foreignSequences))).toBe(1);
  });
});

describe("toChromeTrace", () => {
  it("D5: one lane per worker, durations add up to the loads", () => {
    const { traceEvents } = JSON.parse(JSON.stringify(toChromeTrace(plan)));
    const lanes = new Float64Array(plan.workers);
    for (const event of traceEvents) if (event.ph === "X") lanes[event.tid]! += event.dur;
    expect(lanes).toEqual(plan.loads);
  });
});
