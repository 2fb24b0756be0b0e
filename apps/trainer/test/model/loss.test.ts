import { crossEntropy, crossEntropyBackward, launchLocal } from "@libra/runtime";
import { describe, expect, it } from "vitest";
import { Linear } from "../../src/model/linear.js";
import { lossRows, tokenLoss } from "../../src/model/loss.js";
import { Parameters } from "../../src/model/parameters.js";

const [hidden, vocabulary] = [4, 2 ** 16];
const rows = 2 * lossRows(vocabulary) + 100;
const scale = 1 / rows;

const wave = (length: number, step: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin(step * i));
const targets = Int32Array.from({ length: rows }, (_, i) =>
  i % 7 === 0 ? -100 : (i * 97) % vocabulary,
);

/** Gradients and sums, of one chunk that holds all rows or of several. */
async function lossOf(chunked: boolean) {
  const [result] = await launchLocal(1, async (rank) => {
    const { device } = rank;
    const compute = rank.stream("compute");
    const place = { device, stream: compute };
    const parameters = new Parameters(device, [{ name: "head", shape: [vocabulary, hidden] }]);
    const weight = device.fromArray(wave(vocabulary * hidden, 0.7), [vocabulary, hidden]);
    const head = new Linear(place, { ...parameters.get("head"), value: weight });
    const x = device.fromArray(wave(rows * hidden, 0.3), [rows, hidden]);
    const ids = device.fromArray(targets);
    const sums = device.zeros([2], "float64");
    const before = device.memory().peakBytes;
    if (chunked) tokenLoss(place, head, { last: x, targets: ids, scale, sums });
    else {
      const logits = head.forward(x);
      const loss = { logits, targets: ids, logSumExp: device.empty([rows]) };
      crossEntropy(compute, { ...loss, sums });
      crossEntropyBackward(compute, { ...loss, scale, dLogits: logits });
      head.backward(x, logits, { dx: x });
    }
    return {
      dLast: await compute.read(x),
      dHead: await compute.read(parameters.gradients),
      sums: await compute.read(sums),
      bytes: device.memory().peakBytes - before,
    };
  });
  return result!;
}

describe("the loss", () => {
  it("is made of chunks of logits, with the bits of the gradients that all of them give", async () => {
    const [whole, parts] = [await lossOf(false), await lossOf(true)];
    expect(parts.dLast).toEqual(whole.dLast);
    expect(parts.dHead).toEqual(whole.dHead);
    expect(Math.abs(parts.sums[0]! / whole.sums[0]! - 1)).toBeLessThan(1e-14);
    expect(parts.sums[1]).toBe(whole.sums[1]);
    expect(whole.bytes).toBeGreaterThanOrEqual(4 * rows * vocabulary);
    expect(parts.bytes).toBeLessThan(1.01 * 4 * lossRows(vocabulary) * vocabulary);
  });

  it("holds at least the rows that keep the head's product quick", () => {
    expect([40, 8192, 32_768, 151_936].map(lossRows)).toEqual([838_656, 4096, 1024, 512]);
  });
});
