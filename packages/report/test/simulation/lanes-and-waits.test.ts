import { describe, expect, it } from "vitest";
import { typicalStep } from "../../src/read/read-simulation.js";
import { lanePlan, placesOf } from "../../src/simulation/lane-plan.js";
import { waitsOf } from "../../src/simulation/waits.js";
import { printedSimulation } from "../support/simulations.js";

const { rows } = printedSimulation();

describe("lanes", () => {
  it("fill the step from pass to pass without overlap", () => {
    for (const row of rows) {
      const step = typicalStep(row);
      for (const { name, spans } of lanePlan(row, step).lanes) {
        const drawn = spans
          .filter(({ start, end }) => end > start)
          .sort((a, b) => a.start - b.start);
        for (const [i, span] of drawn.entries()) {
          const before = drawn[i - 1]?.end ?? 0;
          expect(span.start, name).toBeGreaterThanOrEqual(before - 1e-9);
        }
        expect(drawn[drawn.length - 1]!.end, name).toBeCloseTo(step.seconds, 9);
      }
    }
  });

  it("draw as much attention of a rank as it has over the step", () => {
    for (const row of rows) {
      const step = typicalStep(row);
      for (const { name, spans } of lanePlan(row, step).lanes) {
        const rank = /^rank (\d+)$/.exec(name)?.[1];
        if (rank === undefined) continue;
        const drawn = spans
          .filter(({ what }) => what.startsWith("attention"))
          .reduce((sum, { start, end }) => sum + end - start, 0);
        expect(drawn).toBeCloseTo(step.busy.attention[Number(rank)]!, 6);
      }
    }
  });

  it("say how many of all pools and ranks they show", () => {
    const row = rows.find(({ strategy, layout }) => strategy === "ulysses" && layout.gpus === 32)!;
    const plan = lanePlan(row, typicalStep(row));
    expect(plan).toMatchObject({ pools: 8, poolsShown: 6, ranks: 32, ranksShown: 24 });
  });
});

describe("waits", () => {
  it("are for the slowest, and leave a rank's own work out", () => {
    for (const row of rows) {
      const step = typicalStep(row);
      const totals = new Float64Array(placesOf(row));
      const slowest = new Set(step.pools.map((pool) => pool.slowest));
      for (const { waiting, waitedFor, seconds } of waitsOf(row, step)) {
        totals[waiting]! += seconds;
        expect(slowest.has(waitedFor)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(0);
      }
      totals.forEach((seconds, rank) => {
        const busy = step.busy.attention[rank]! + step.busy.linear[rank]!;
        expect(seconds + busy).toBeLessThanOrEqual(step.backwardEnd * (1 + 1e-9));
      });
    }
  });
});
