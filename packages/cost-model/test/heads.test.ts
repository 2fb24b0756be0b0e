import { describe, expect, it } from "vitest";
import { requireHeads } from "../src/index.js";

describe("requireHeads", () => {
  const heads = { queryHeads: 9, kvHeads: 3, headDim: 64, valueDim: 32 };

  it("freezes a copy", () => {
    expect(requireHeads(heads)).toEqual(heads);
    expect(Object.isFrozen(requireHeads(heads))).toBe(true);
  });

  it("refuses heads that are not a multiple of KV heads", () => {
    expect(() => requireHeads({ ...heads, queryHeads: 8 })).toThrow(
      "Expected a multiple of kvHeads (3) for queryHeads but received 8",
    );
    expect(() => requireHeads({ ...heads, valueDim: 0 })).toThrow("valueDim");
  });
});
