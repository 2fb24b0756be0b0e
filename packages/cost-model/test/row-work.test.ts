import { describe, expect, it } from "vitest";
import { type ModelShape, rowElementsPerToken } from "../src/index.js";

const model: ModelShape = {
  name: "counted by hand",
  layers: 3,
  hidden: 10,
  queryHeads: 4,
  kvHeads: 2,
  headDim: 5,
  valueDim: 3,
  ffn: 7,
  experts: 0,
  activeExperts: 1,
  vocab: 11,
  tiedEmbeddings: false,
  rmsNormEps: 1e-6,
  ropeTheta: 1e6,
};

describe("rowElementsPerToken", () => {
  it("counts every tensor of an operator once, in one layer", () => {
    expect(rowElementsPerToken("forward", model)).toEqual({
      // Two norms; q and k normed and turned; gate and up read, their product written.
      layer: 2 * (10 + 10) + 2 * 2 * (20 + 10) + 3 * 7,
      attention: 0,
      ends: 10 + 10 + (10 + 10) + 11,
    });
    expect(rowElementsPerToken("backward", model)).toEqual({
      layer: 2 * (10 + 10 + 10 + 10) + (3 + 2) * (20 + 10) + 5 * 7,
      // out and dOut for delta; zeros for dq, dk and dv.
      attention: 12 + 12 + 20 + 10 + 6,
      ends: 3 * 10 + 3 * 10 + 2 * 11,
    });
  });

  it("counts the experts that a token visits", () => {
    const experts = { ...model, experts: 8, activeExperts: 2 };
    const more = rowElementsPerToken("forward", experts).layer;
    expect(more - rowElementsPerToken("forward", model).layer).toBe(3 * 7);
  });
});
