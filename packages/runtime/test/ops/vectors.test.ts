import { describe, expect, it } from "vitest";
import { accumulateVectors, gatherVectors, scatterVectors } from "../../src/index.js";
import { onOneRank } from "../support/one-rank.js";

const ints = (...values: number[]): Int32Array => Int32Array.from(values);
const count = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe("vectors of the exchange", () => {
  it("gather and scatter strided blocks", async () => {
    const blocks = { offset: ints(6, 0), rows: ints(2, 1), stride: ints(3, 1), width: ints(2, 1) };
    const { gathered, scattered } = await onOneRank((stream, device) => {
      const from = device.fromArray(count(24), [12, 2]);
      const gathered = device.zeros([5, 2]);
      const scattered = device.zeros([12, 2]);
      gatherVectors(stream, { from, to: gathered, blocks, vectorSize: 2 });
      scatterVectors(stream, { from: gathered, to: scattered, blocks, vectorSize: 2 });
      return { gathered, scattered };
    });
    expect(gathered).toEqual([12, 13, 14, 15, 18, 19, 20, 21, 0, 1]);
    const moved = new Set([6, 7, 9, 10, 0]);
    expect(scattered).toEqual(count(24).map((value) => (moved.has(value >> 1) ? value : 0)));
  });

  it("accumulate in the list's order", async () => {
    const { to } = await onOneRank((stream, device) => {
      const from = device.fromArray(Float32Array.of(1e8, 1, -1e8, 0.5));
      const to = device.zeros([3]);
      const list = {
        from: ints(0, 1, 2),
        to: ints(0, 0, 0),
        rows: ints(1, 1, 1),
        stride: ints(0, 0, 0),
      };
      accumulateVectors(stream, { from, to, list, vectorSize: 1 });
      const tail = { from: ints(2), to: ints(1), rows: ints(2), stride: ints(1) };
      accumulateVectors(stream, { from, to, list: tail, vectorSize: 1 });
      return { to };
    });
    // (1e8 + 1) loses the 1 in float32: another order would give 1.
    expect(to).toEqual([0, -1e8, 0.5]);
  });

  it("refuse lists that reach outside", async () => {
    await onOneRank((stream, device) => {
      const [from, to] = [device.zeros([4]), device.zeros([4])];
      const list = { from: ints(3), to: ints(0), rows: ints(2), stride: ints(1) };
      expect(() => accumulateVectors(stream, { from, to, list, vectorSize: 1 })).toThrow(
        "Expected 20 bytes for from but received 16",
      );
      const blocks = { offset: ints(-1), rows: ints(1), stride: ints(1), width: ints(1) };
      expect(() => gatherVectors(stream, { from, to, blocks, vectorSize: 1 })).toThrow(
        "Expected at least 0 for offset[0] but received -1",
      );
      return {};
    });
  });
});
