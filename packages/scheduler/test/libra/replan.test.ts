import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePlan, exchangeProgram, libra } from "../../src/index.js";
import { anyPool, poolOf } from "../support/pools.js";

describe("replan", () => {
  it.each(["heads", "documents"] as const)(
    "says what plan says, whatever it planned before: %s",
    (surplus) => {
      const planner = libra({ surplus });
      fc.assert(
        fc.property(anyPool, (input) => {
          const fresh = encodePlan(libra({ surplus }).plan(input));
          expect(encodePlan(planner.replan(input))).toEqual(fresh);
        }),
      );
    },
  );

  it("gives exchange programs of the nodes that it was planned for last", () => {
    const planner = libra({ tolerance: 0 });
    const pool = poolOf([[256], [16]], 4, 8, 2, 4);
    for (const ranksPerNode of [4, 2, 8]) {
      const input = { ...pool, nodes: { ranksPerNode } };
      const live = exchangeProgram(planner.replan(input), 1, { hops: 2 });
      const fresh = exchangeProgram(libra({ tolerance: 0 }).plan(input), 1, { hops: 2 });
      expect(live.chunks).toEqual(fresh.chunks);
    }
  });

  it.each(["heads", "documents"] as const)("keeps its buffers: %s", (surplus) => {
    const planner = libra({ surplus });
    const pools = [
      poolOf([[4096], [1024, 3072], new Array(16).fill(256)], 4, 8, 2, 64),
      poolOf([[512, 3584], new Array(32).fill(128), [4096]], 4, 8, 2, 64),
    ];
    for (let i = 0; i < 200; i++) planner.replan(pools[i % 2]!);
    const { worker, loads } = planner.replan(pools[0]!);
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    collect();
    const before = process.memoryUsage();
    for (let i = 0; i < 500; i++) planner.replan(pools[i % 2]!);
    const after = process.memoryUsage();
    const again = planner.replan(pools[0]!);
    expect(again.worker).toBe(worker);
    expect(again.loads).toBe(loads);
    expect(after.arrayBuffers).toBeLessThanOrEqual(before.arrayBuffers);
  });
});

describe("heldCap", () => {
  const input = poolOf([[4096], new Array(64).fill(64)], 2, 8, 2, 16);
  const held = (cap?: number) => {
    const plan = libra(cap === undefined ? { tolerance: 0 } : { tolerance: 0, heldCap: cap }).plan(
      input,
    );
    const rows = new Float64Array(plan.workers);
    for (let t = 0; t < plan.count; t++) {
      rows[plan.worker[t]!]! += plan.rowCount[t]! * plan.headCount[t]!;
    }
    return { most: Math.max(...rows), plan };
  };

  it("moves less where the tolerance would break the cap", () => {
    const free = held();
    const even = (4096 * 8) / 2;
    expect(free.most).toBeGreaterThan(even * 1.2);
    const capped = held(even * 1.1);
    expect(capped.most).toBeLessThanOrEqual(even * 1.1);
    expect(capped.plan.tolerance).toBeGreaterThan(0);
    expect(capped.plan.moved).toBeLessThan(free.plan.moved);
  });

  it("is an error with the numbers where nothing meets it", () => {
    expect(() => held(1000)).toThrow(/would hold \d+ rows × heads .* cap of 1000; .* holds 16384/);
  });
});
