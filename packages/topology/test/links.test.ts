import { describe, expect, it } from "vitest";
import { linkClass, linkClasses, nodeOf, type SyncOptions, syncOf } from "../src/index.js";

describe("linkClass", () => {
  const nodes = { ranksPerNode: 8, nodesPerRack: 4 };
  it.each([
    [5, 5, "self"],
    [0, 7, "sameNode"],
    [7, 8, "sameRack"],
    [31, 0, "sameRack"],
    [31, 32, "farther"],
  ])("%i and %i: %s", (a, b, name) => {
    expect(linkClasses[linkClass(nodes, a, b)]).toBe(name);
    expect(linkClass(nodes, b, a)).toBe(linkClass(nodes, a, b));
  });

  it("knows no racks unless told", () => {
    expect(linkClass({ ranksPerNode: 8 }, 0, 8)).toBe(3);
    expect(nodeOf({ ranksPerNode: 8 }, 17)).toBe(2);
  });

  it("refuses node layouts without ranks", () => {
    expect(() => linkClass({ ranksPerNode: 0 }, 0, 1)).toThrow("ranksPerNode");
    expect(() => linkClass({ ranksPerNode: 1, nodesPerRack: 0 }, 0, 1)).toThrow("nodesPerRack");
  });
});

describe("syncOf", () => {
  it.each<[SyncOptions, string]>([
    [{}, "step"],
    [{ sharding: "zero1" }, "step"],
    [{ sharding: "zero2" }, "step"],
    [{ sharding: "zero3" }, "microStep"],
    [{ sharding: "zero3", poolRanks: 16, shardGroup: 16 }, "step"],
    [{ sharding: "zero3", poolRanks: 16, shardGroup: 32 }, "microStep"],
    [{ expertGroup: 8, poolRanks: 8 }, "step"],
    [{ expertGroup: 16, poolRanks: 8 }, "microStep"],
    [{ pp: 2 }, "pipeline"],
    [{ pp: 2, sharding: "zero3" }, "pipeline"],
  ])("%j: %s", (options, sync) => {
    expect(syncOf(options)).toBe(sync);
  });

  it("refuses unknown sharding and sizes below one", () => {
    expect(() => syncOf({ sharding: "fsdp" as never })).toThrow("none, zero1, zero2, zero3");
    expect(() => syncOf({ pp: 0 })).toThrow("for pp");
  });
});
