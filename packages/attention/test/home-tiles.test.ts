import { describe, expect, it } from "vitest";
import { homeTilesOf } from "../src/home-tiles.js";
import { sharesKeys } from "../src/shared-keys.js";
import { heads, type PoolCase, planOf } from "./support/pool.js";

const pool: PoolCase = { documents: [[90], [7, 8]], heads: heads(4, 2, 8) };

describe("home tiles", () => {
  it("are those of an only owner; the others make the plan that is sent", () => {
    const plan = planOf(pool);
    const [donor, recipient] = [homeTilesOf(plan, 0)!, homeTilesOf(plan, 1)!];
    expect(donor.away).toBe(recipient.away);
    expect(donor.count + recipient.count + donor.away.count).toBe(plan.count);
    expect(donor.away.count).toBeGreaterThan(0);
    for (let tile = 0; tile < donor.away.count; tile += 1) {
      expect([donor.away.sequence[tile], donor.away.worker[tile]]).toEqual([0, 1]);
    }
    // The recipient's own documents, in its own tensors: four heads a row.
    expect(new Set(recipient.segments.queryStride)).toEqual(new Set([4]));
    expect(Math.max(...recipient.segments.rows)).toBe(8);
  });

  it("do not exist where rows have several owners or keys are cut", () => {
    expect(homeTilesOf(planOf({ ...pool, cp: 2 }), 0)).toBeUndefined();
    expect(homeTilesOf(planOf({ ...pool, planner: "ring" }), 0)).toBeUndefined();
  });
});

describe("shared keys", () => {
  it.each([
    ["whole KV groups", false, { plannerOptions: { granularity: "kvGroup" } }],
    ["heads of a group on two workers", true, { plannerOptions: { headBlock: 1 } }],
    ["as many ranks as KV heads", false, { planner: "ulysses", cp: 2 }],
    ["more ranks than KV heads", true, { planner: "ulysses", cp: 4 }],
    ["rows of a document on two workers", true, { planner: "allGather", cp: 2 }],
  ] as [string, boolean, Partial<PoolCase>][])("%s: %s", (_name, shared, options) => {
    expect(sharesKeys(planOf({ ...pool, ...options }))).toBe(shared);
  });
});
