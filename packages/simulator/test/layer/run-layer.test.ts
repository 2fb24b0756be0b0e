import { linearTimer, pairsCost } from "@libra/cost-model";
import { libra, type PoolInput, perDocument, ring, timeline, ulysses } from "@libra/scheduler";
import { contiguousRows } from "@libra/topology";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScenario } from "../../src/create-scenario.js";
import { secondsOf, ticksOf } from "../../src/engine/ticks.js";
import { kinds } from "../../src/layer/account.js";
import { kernelTimes } from "../../src/layer/kernel-times.js";
import { layerExtras } from "../../src/layer/layer-extras.js";
import { type PoolWork, poolWork } from "../../src/layer/pool-work.js";
import { LayerRunner, resourceCount, resources } from "../../src/layer/run-layer.js";
import { clusterByName } from "../../src/machine/cluster.js";
import type { Scenario } from "../../src/scenario.js";
import { idealCluster, longTail, tinyExperts, tinyModel } from "../support/scenarios.js";

const timer = linearTimer(
  {
    forward: { launch: 1e-6, pairs: 2e-10, rows: 1e-9, keys: 0, segment: 1e-8 },
    backward: { launch: 1e-6, pairs: 5e-10, rows: 2e-9, keys: 0, segment: 1e-8 },
  },
  16,
);

function poolInput(scenario: Scenario, seed: number): PoolInput {
  const { cp, dp } = scenario.layout;
  const sequences = Array.from({ length: dp }, (_, s) => {
    const borders = [0];
    for (const length of longTail(200, seed + s)) {
      borders.push(Math.min(scenario.window, borders.at(-1)! + length));
      if (borders.at(-1) === scenario.window) break;
    }
    return Int32Array.from(borders);
  });
  return {
    sequences,
    heads: scenario.heads,
    owned: sequences.map((cuSeqlens) => contiguousRows(cuSeqlens.at(-1)!, cp)),
    cp,
    cost: pairsCost(16),
    nodes: { ranksPerNode: scenario.cluster.ranksPerNode },
    ranks: Array.from({ length: dp * cp }, (_, w) => w),
  };
}

const runner = new LayerRunner();

function runBoth(scenario: Scenario, work: PoolWork) {
  return (["forward", "backward"] as const).map((pass) =>
    runner.run(work, pass, {
      cluster: scenario.cluster,
      slowness: scenario.slowness,
      extras: layerExtras(scenario, pass),
      expertParallel: scenario.expertParallel,
    }),
  );
}

const shapes = fc.record({
  cp: fc.integer({ min: 1, max: 4 }),
  dp: fc.integer({ min: 1, max: 4 }),
  seed: fc.nat(1000),
  hops: fc.constantFrom(1 as const, 2 as const),
  pool: fc.boolean(),
  zero3: fc.boolean(),
});

describe("LayerRunner", () => {
  it("holds every resource exactly as long as the operations on it take", () => {
    fc.assert(
      fc.property(shapes, ({ cp, dp, seed, hops, pool, zero3 }) => {
        const scenario = createScenario({
          model: tinyExperts,
          cluster: { ...clusterByName("h100-ib"), ranksPerNode: 2, timer: () => timer },
          gpus: cp * dp,
          cp,
          window: 1024,
          seed,
          expertParallel: (cp * dp) % 2 === 0 ? 2 : 1,
          sharding: zero3 ? "zero3" : "zero1",
        });
        const plan = (pool ? libra() : ulysses()).plan(poolInput(scenario, seed));
        const work = poolWork(scenario, plan, plan.ranks, hops);
        for (const run of runBoth(scenario, work)) {
          for (let w = 0; w < work.workers; w++) {
            const sums = new Array(resourceCount).fill(0);
            for (const kind of kinds) {
              for (const resource of resources[kind as keyof typeof resources] ?? []) {
                sums[resource] += run.account.get(kind, w);
              }
            }
            expect([...run.busy.subarray(w * resourceCount, (w + 1) * resourceCount)]).toEqual(
              sums,
            );
            expect(Math.max(...sums)).toBeLessThanOrEqual(run.ticks);
            expect(run.done[w]).toBeLessThanOrEqual(run.ticks);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("takes the critical path of the kernels and linear operators when bytes take no time", () => {
    fc.assert(
      fc.property(shapes, ({ cp, dp, seed, hops, pool }) => {
        const scenario = createScenario({
          model: tinyModel,
          cluster: idealCluster(timer),
          gpus: cp * dp,
          cp,
          window: 1024,
          jitter: 0,
        });
        const plan = (pool ? libra() : ulysses()).plan(poolInput(scenario, seed));
        const work = poolWork(scenario, plan, plan.ranks, hops);
        runBoth(scenario, work).forEach((run, i) => {
          const pass = (["forward", "backward"] as const)[i]!;
          const { linear } = layerExtras(scenario, pass);
          // Kernels end together with their pool: results are home when all are.
          let attention = 0;
          let longest = 0;
          for (let w = 0; w < work.workers; w++) {
            let sum = 0;
            for (let c = 0; c < work.chunks; c++) {
              sum += ticksOf(work.kernels[pass][c * work.workers + w]!);
            }
            attention = Math.max(attention, sum);
            longest = Math.max(longest, ticksOf(linear * work.tokens[w]!));
          }
          expect(run.ticks).toBe(attention + longest);
        });
      }),
      { numRuns: 40 },
    );
  });

  it("agrees with the scheduler's timeline about attention and its exchange", () => {
    for (const [planner, hops] of [
      [ulysses(), 1],
      [libra(), 1],
      [libra(), 2],
    ] as const) {
      for (let seed = 0; seed < 6; seed++) {
        const scenario = createScenario({
          model: tinyModel,
          cluster: { ...clusterByName("h100-ib"), ranksPerNode: 2, timer: () => timer },
          gpus: 8,
          cp: 2,
          window: 4096,
          jitter: 0,
        });
        const plan = planner.plan(poolInput(scenario, seed * 10));
        const work = poolWork(scenario, plan, plan.ranks, hops);
        const [forward] = runBoth(scenario, work);
        const { links } = scenario.cluster;
        const { seconds } = timeline(plan, { links, timer, hops, pass: "forward" });
        const longest = Math.max(...work.tokens) * layerExtras(scenario, "forward").linear;
        const attention = secondsOf(forward!.ticks) - longest;
        expect(attention / seconds).toBeGreaterThan(0.9);
        expect(attention / seconds).toBeLessThan(1.1);
      }
    }
  });

  it("lets slow devices take longer, and nobody else", () => {
    const options = {
      model: tinyModel,
      gpus: 4,
      cp: 2,
      window: 1024,
      cluster: idealCluster(timer),
    };
    const even = createScenario({ ...options, jitter: 0 });
    const uneven = createScenario({ ...options, jitter: 0.5, seed: 9 });
    const plan = libra().plan(poolInput(even, 5));
    const work = poolWork(even, plan, plan.ranks, 1);
    const [before] = runBoth(even, work);
    const [after] = runBoth(uneven, work);
    for (let w = 0; w < 4; w++) {
      const ratio = after!.account.computing(w) / before!.account.computing(w);
      expect(ratio).toBeCloseTo(uneven.slowness[w]!, 6);
    }
    expect(after!.ticks).toBeGreaterThan(before!.ticks);
  });
});

describe("kernelTimes", () => {
  it("are the timeline's", () => {
    const scenario = createScenario({
      model: tinyModel,
      cluster: { ...clusterByName("h100-ib"), timer: () => timer },
      gpus: 6,
      cp: 3,
      window: 2048,
    });
    const { links } = scenario.cluster;
    for (const planner of [ulysses(), libra(), perDocument(), ring()]) {
      const plan = planner.plan(poolInput(scenario, 3));
      for (const pass of ["forward", "backward"] as const) {
        const [times] = kernelTimes(plan, timer, [pass]);
        const { spans } = timeline(plan, { links, timer, pass });
        for (const { stream, chunk, worker, start, end } of spans) {
          if (stream !== "attention") continue;
          const seconds = times![chunk * plan.workers + worker]!;
          // A chunk without tiles calls no kernel; the timeline keeps its launch.
          if (seconds > 0) expect(seconds / (end - start)).toBeCloseTo(1, 9);
        }
      }
    }
  });
});
