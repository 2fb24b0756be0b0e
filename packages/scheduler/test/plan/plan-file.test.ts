import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePlan, encodePlan, libra, ring, tilePlanHash } from "../../src/index.js";
import { anyPool, poolOf } from "../support/pools.js";

describe("plan file", () => {
  it("gives back the plan that was written", () => {
    fc.assert(
      fc.property(anyPool, (input) => {
        for (const planner of [libra(), ring()]) {
          const plan = planner.plan(input);
          const copy = decodePlan(encodePlan(plan));
          expect(copy).toEqual({ ...plan, ranks: [...plan.ranks] });
          expect(tilePlanHash(copy)).toBe(tilePlanHash(plan));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("writes only the tiles of a plan in reused buffers", () => {
    const planner = libra();
    const live = planner.replan(poolOf([[64], [8]], 2, 4, 2));
    expect(live.worker.length).toBeGreaterThan(live.count);
    expect(decodePlan(encodePlan(live)).worker.length).toBe(live.count);
  });

  it("reads a plan out of a Node buffer", () => {
    const plan = libra().plan(poolOf([[64, 40], [8]], 2, 4, 2));
    const buffer = Buffer.concat([Buffer.of(1), encodePlan(plan)]).subarray(1);
    expect(tilePlanHash(decodePlan(buffer))).toBe(tilePlanHash(plan));
  });

  it("says what is wrong with a file", () => {
    const file = encodePlan(libra().plan(poolOf([[64]], 2, 4, 2)));
    const changed = (at: number) => {
      const bytes = file.slice();
      bytes[at]! ^= 1;
      return bytes;
    };
    expect(() => decodePlan(new Uint8Array(3))).toThrow(/begin with LIBRATIL/);
    expect(() => decodePlan(changed(0))).toThrow(/begin with LIBRATIL/);
    expect(() => decodePlan(changed(8))).toThrow(/version 0, this reader knows 1/);
    expect(() => decodePlan(changed(16))).toThrow(/header is not JSON/);
    expect(() => decodePlan(changed(file.length - 1))).toThrow(/hash/);
    expect(() => decodePlan(file.slice(0, file.length - 8))).toThrow(/hash/);
    for (let length = 0; length < file.length; length += 7) {
      expect(() => decodePlan(file.slice(0, length))).toThrow(
        expect.objectContaining({ code: "FORMAT" }),
      );
    }
  });
});
