import { causalPairs } from "@libra/cost-model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScenario, type ScenarioOptions } from "../../src/create-scenario.js";
import { ticksOf } from "../../src/engine/ticks.js";
import { kinds } from "../../src/layer/account.js";
import { clusterByName } from "../../src/machine/cluster.js";
import { pipelineOrder } from "../../src/step/pipeline-order.js";
import { PoolSimulator } from "../../src/step/pool-pass.js";
import { simulateStep } from "../../src/step/simulate-step.js";
import type { StepWork } from "../../src/step/step-work.js";
import { createStrategy } from "../../src/strategies/by-name.js";
import type { SettingsInput } from "../../src/strategies/settings.js";
import { type StrategyName, strategyNames } from "../../src/strategies/strategy.js";
import {
  idealCluster,
  longTail,
  pairSeconds,
  pairsTimer,
  tinyExperts,
  tinyModel,
} from "../support/scenarios.js";

const ticksPerPair = {
  forward: ticksOf(pairSeconds.forward),
  backward: ticksOf(pairSeconds.backward),
};

interface Shape {
  cp: number;
  dp: number;
  pp: number;
  parts: number;
  microSteps: number;
  seed: number;
  strategy: StrategyName;
}

const shapes = fc
  .record({
    cp: fc.integer({ min: 1, max: 3 }),
    dp: fc.integer({ min: 1, max: 4 }),
    pp: fc.constantFrom(1, 2),
    parts: fc.constantFrom(1, 2),
    microSteps: fc.constantFrom(1, 2, 4),
    seed: fc.nat(500),
    strategy: fc.constantFrom(...strategyNames),
  })
  .filter(({ pp, parts, microSteps, strategy }) => {
    if (strategy === "hybridCp" && pp > 1) return false;
    return parts === 1 || (pp > 1 && microSteps % pp === 0);
  });

function stepOf(shape: Shape, options: Partial<ScenarioOptions>, settings: SettingsInput = {}) {
  const { cp, dp, pp, parts, microSteps, seed, strategy } = shape;
  const scenario = createScenario({
    model: tinyModel,
    cluster: idealCluster(),
    gpus: cp * dp * pp,
    cp,
    pp,
    parts,
    window: 512,
    globalBatch: dp * microSteps,
    recompute: "none",
    seed,
    ...options,
  });
  const corpus = { lengths: longTail(2000, seed), overlong: "split" as const };
  const step = createStrategy(strategy, scenario, corpus, settings).next();
  return { scenario, step };
}

describe("simulateStep", () => {
  it("accounts for every operation of every place, and the breakdown is the step", () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom("zero1", "zero3"), (shape, sharding) => {
        const { scenario, step } = stepOf(shape, {
          model: tinyExperts,
          cluster: { ...clusterByName("h100-ib"), ranksPerNode: 2, timer: () => pairsTimer },
          sharding: sharding as "zero1" | "zero3",
          expertParallel: (shape.cp * shape.dp) % 2 === 0 ? 2 : 1,
        });
        const result = simulateStep(scenario, step);
        const simulator = new PoolSimulator(scenario);
        const expected = new Float64Array(result.account.ticks.length);
        const { places } = result.account;
        let microStep = 0;
        for (; microStep < step.microSteps; microStep++) {
          for (const pool of step.pools(microStep)) {
            const pass = simulator.run(pool, microStep, step);
            pass.accounts.forEach((account, stage) => {
              pool.positions.forEach((position, w) => {
                kinds.forEach((kind, k) => {
                  const place = stage * scenario.positions + position;
                  expected[k * places + place]! += account.get(kind, w);
                });
              });
            });
          }
        }
        kinds.forEach((kind, k) => {
          for (let place = 0; place < places; place++) {
            const ticks = result.account.get(kind, place);
            if (kind !== "reduction" && kind !== "optimizer") {
              expect(ticks).toBe(expected[k * places + place]);
            }
            expect(ticks).toBeLessThanOrEqual(2 * result.ticks);
          }
        });
        for (let place = 0; place < places; place++) {
          expect(result.account.computing(place)).toBeLessThanOrEqual(result.ticks);
        }
        const parts = Object.values(result.breakdown);
        expect(parts.reduce((sum, ticks) => sum + ticks, 0) / result.ticks).toBeCloseTo(1, 9);
        for (const ticks of parts) expect(ticks).toBeGreaterThanOrEqual(-1);
      }),
      { numRuns: 40 },
    );
  });

  it("is the planner's critical path exactly when bytes take no time and devices are alike", () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom("zero1", "zero3"), (shape, sharding) => {
        const cluster = { ...idealCluster(), matrixRate: 1e300 };
        const { scenario, step } = stepOf(
          shape,
          { cluster, jitter: 0, sharding: sharding as "zero1" | "zero3" },
          shape.strategy === "distca" ? { pingPong: false } : {},
        );
        const meets = step.meets || sharding === "zero3";
        const layers = tinyModel.layers / (shape.pp * shape.parts);
        expect(simulateStep(scenario, step).ticks).toBe(
          criticalPath(shape, step, layers, meets, sharding === "zero3"),
        );
      }),
      { numRuns: 80 },
    );
  });

  it("does all attention work of the step, no more", () => {
    for (const strategy of strategyNames) {
      const shape = { cp: 2, dp: 4, pp: 1, parts: 1, microSteps: 2, seed: 3, strategy };
      const { scenario, step } = stepOf(shape, { jitter: 0 });
      const { account, forwardAccount } = simulateStep(scenario, step);
      const attention = { both: 0, forward: 0 };
      for (let place = 0; place < account.places; place++) {
        attention.both += account.get("attention", place);
        attention.forward += forwardAccount.get("attention", place);
      }
      const pairs = step.pairs * tinyModel.queryHeads * tinyModel.layers;
      expect(attention.forward).toBe(pairs * ticksPerPair.forward);
      expect(attention.both).toBe(pairs * (ticksPerPair.forward + ticksPerPair.backward));
      expect(step.pairs).toBeGreaterThan(causalPairs(0, 60));
    }
  });
});

// Written apart from the simulator: loads of the plans, and the recurrence of the schedule.
function criticalPath(
  shape: Shape,
  step: StepWork,
  layers: number,
  meets: boolean,
  everyPass: boolean,
): number {
  const { pp, parts } = shape;
  const pools = Array.from({ length: step.microSteps }, (_, m) =>
    Array.from(step.pools(m), ({ plan, positions }) => ({
      positions,
      load: plan.loads.reduce((most, load) => Math.max(most, load), 0),
    })),
  );
  const time = (load: number, forward: boolean) =>
    layers * load * (forward ? ticksPerPair.forward : ticksPerPair.backward);
  if (pp === 1) {
    const ready = new Map<number, number>();
    for (const list of pools) {
      for (const forward of [true, false]) {
        for (const { positions, load } of list) {
          const begin = Math.max(...positions.map((p) => ready.get(p) ?? 0));
          for (const p of positions) ready.set(p, begin + time(load, forward));
        }
        if (!meets || (forward && !everyPass)) continue;
        const latest = Math.max(...ready.values());
        for (let p = 0; p < shape.cp * shape.dp; p++) ready.set(p, latest);
      }
    }
    return Math.max(...ready.values());
  }
  // Stages hold the same pools in every micro-step: walk until every pass of every pool is done.
  const done = new Map<string, number>();
  const free = Array.from({ length: pp }, () => pools[0]!.map(() => 0));
  const orders = Array.from({ length: pp }, (_, s) => pipelineOrder(s, pp, step.microSteps, parts));
  const next = new Array(pp).fill(0);
  for (let moved = true; moved; ) {
    moved = false;
    for (let s = 0; s < pp; s++) {
      const operation = orders[s]![next[s]!];
      if (!operation) continue;
      const { forward, microStep, part } = operation;
      const before = forward
        ? s > 0
          ? [s - 1, part]
          : [pp - 1, part - 1]
        : s < pp - 1
          ? [s + 1, part]
          : [0, part + 1];
      const first = before[1]! < 0 || before[1]! >= parts;
      const ends = pools[microStep]!.map(({ load }, k) => {
        const key = `${forward} ${microStep} ${k}`;
        const arrives = first ? 0 : done.get(`${key} ${before.join()}`);
        return arrives === undefined
          ? Number.NaN
          : Math.max(free[s]![k]!, arrives) + time(load, forward);
      });
      if (ends.some(Number.isNaN)) continue;
      const latest = Math.max(...ends);
      ends.forEach((end, k) => {
        done.set(`${forward} ${microStep} ${k} ${[s, part].join()}`, end);
        free[s]![k] = everyPass ? latest : end;
      });
      next[s]!++;
      moved = true;
    }
  }
  return Math.max(...free.flat());
}
