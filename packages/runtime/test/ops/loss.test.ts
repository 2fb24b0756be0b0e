import { describe, expect, it } from "vitest";
import {
  crossEntropy,
  crossEntropyBackward,
  embedding,
  embeddingBackward,
  launchLocal,
} from "../../src/index.js";
import { gradient } from "../support/finite-difference.js";
import { distance, onOneRank } from "../support/one-rank.js";
import { numbers } from "../support/random.js";
import * as reference from "../support/reference.js";

describe("embedding", () => {
  const ids = [2, 0, 2, 4];
  const table = numbers(5 * 3, 1);
  const dOut = numbers(4 * 3, 2);

  it("takes rows and adds their gradients in token order", async () => {
    const { out, dTable } = await onOneRank((stream, device) => {
      const places = device.fromArray(Int32Array.from(ids));
      const out = device.empty([4, 3]);
      const dTable = device.empty([5, 3]);
      embedding(stream, { ids: places, table: device.fromArray(table, [5, 3]), out });
      embeddingBackward(stream, { ids: places, dOut: device.fromArray(dOut, [4, 3]), dTable });
      return { out, dTable };
    });
    expect(out).toEqual(ids.flatMap((id) => [...table.slice(3 * id, 3 * id + 3)]));
    const wanted = new Float32Array(15);
    ids.forEach((id, t) => {
      for (let i = 0; i < 3; i += 1) wanted[3 * id + i]! += dOut[3 * t + i]!;
    });
    expect(dTable).toEqual([...wanted]);
  });

  it("fails on an id outside the table, naming rank, stream and operation", async () => {
    const wrong = launchLocal(2, async (rank) => {
      const stream = rank.stream("compute");
      const table = rank.device.zeros([5, 3]);
      const ids = rank.device.fromArray(Int32Array.of(1, rank.rank === 1 ? 9 : 3));
      embedding(stream, { ids, table, out: rank.device.empty([2, 3]) });
      await stream.done();
    });
    await expect(wrong).rejects.toMatchObject({
      code: "RANK_FAILED",
      message: expect.stringMatching(/Rank 1 failed in embedding on stream "compute": .*9/),
      details: { rank: 1, stream: "compute", operation: "embedding" },
    });
  });
});

describe("crossEntropy", () => {
  const targets = [3, -100, 0];
  const logits = numbers(3 * 6, 4).map((value) => 4 * value);

  it("sums and counts valid targets; its gradient is that of the sum", async () => {
    const { sums, logSumExp, twice, dLogits } = await onOneRank((stream, device) => {
      const given = {
        logits: device.fromArray(logits, [3, 6]),
        targets: device.fromArray(Int32Array.from(targets)),
      };
      const sums = device.empty([2], "float64");
      const twice = device.empty([2], "float64");
      const logSumExp = device.empty([3]);
      crossEntropy(stream, { ...given, sums, logSumExp });
      crossEntropy(stream, { ...given, sums: twice, logSumExp });
      crossEntropy(stream, { ...given, sums: twice, logSumExp, accumulate: true });
      const dLogits = given.logits;
      crossEntropyBackward(stream, { ...given, logSumExp, scale: 0.5, dLogits });
      return { sums, logSumExp, twice, dLogits };
    });
    const loss = reference.crossEntropy([...logits], targets);
    expect(Math.abs(sums![0]! - loss)).toBeLessThan(1e-5);
    expect(sums![1]).toBe(2);
    expect(Math.abs(twice![0]! - 2 * loss)).toBeLessThan(1e-5);
    expect(twice![1]).toBe(4);
    expect(logSumExp).toHaveLength(3);
    const wanted = gradient((values) => 0.5 * reference.crossEntropy(values, targets), [...logits]);
    expect(distance(dLogits, wanted)).toBeLessThan(1e-5);
    expect(dLogits!.slice(6, 12)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
