import { expect, it } from "vitest";
import { phases } from "../../src/metrics/phase-history.js";
import { phaseSpreads } from "../../src/train/step-record.js";
import { tinyRun, trainTiny } from "../support/tiny-run.js";

it("a record tells the times of every rank beside their spreads", () => {
  const { attention, wait, ranks } = phaseSpreads({
    attention: Float64Array.of(3, 1.23456),
    exchange: Float64Array.of(0, 0),
    wait: Float64Array.of(0, 2),
    other: Float64Array.of(4, 4),
  });
  expect(attention).toEqual({ min: 1.23456, median: 2.11728, max: 3, worst: 0 });
  expect(wait.worst).toBe(1);
  expect(ranks).toEqual({ attention: [3, 1.235], exchange: [0, 0], wait: [0, 2], other: [4, 4] });
});

it("a run's records have one entry a rank, as plain lists", async () => {
  const run = tinyRun({ dp: 2, cp: 1 }, {}, { steps: 1 });
  const [record] = await trainTiny(run);
  for (const phase of phases) {
    const values = JSON.parse(JSON.stringify(record!.ranks))[phase] as number[];
    expect(values).toHaveLength(2);
    expect(Math.max(...values)).toBeCloseTo(record![phase].max, 2);
  }
});
