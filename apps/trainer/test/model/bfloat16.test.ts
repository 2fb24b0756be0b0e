import { readFileSync } from "node:fs";
import { copy, launchLocal } from "@libra/runtime";
import { describe, expect, it } from "vitest";
import { Parameters } from "../../src/model/parameters.js";
import { maxDifference, relativeDistance } from "../support/compare.js";
import { fixtureNames, readFixture } from "../support/fixture.js";
import { rowsOf, runCase } from "../support/on-ranks.js";

/** How far torch's bfloat16 is from its float32. */
interface TorchRounding {
  loss: number;
  logits: number;
  gradients: Record<string, number>;
}

const strategies = [
  { cp: 1, planner: "ulysses" },
  { cp: 2, planner: "libra" },
  { cp: 3, planner: "allGather" },
];

describe.each(fixtureNames)("%s in bfloat16 against Hugging Face", { timeout: 60_000 }, (name) => {
  const fixture = readFixture(name);
  const { folder, sizes, weights, documents, lengths } = fixture;
  const torch: TorchRounding = JSON.parse(readFileSync(`${folder}/bfloat16.json`, "utf8"));
  const targets = lengths.reduce((sum, length) => sum + length - 1, 0);

  // A plain implementation in the same precision sets the limit: twice its distance from float32.
  it.each(strategies)("on $cp ranks, $planner", async (strategy) => {
    const result = await runCase({
      ...{ sizes, weights, ...rowsOf(documents), ...strategy },
      ...{ scale: 1 / targets, dtype: "bfloat16" as const },
    });
    expect(result.targets).toBe(targets);
    expect(maxDifference(result.logits, fixture.logits)).toBeLessThan(2 * torch.logits);
    const loss = result.lossSum / targets;
    const limit = Math.max(2 * Math.abs(torch.loss - fixture.loss), 1e-3 * fixture.loss);
    expect(Math.abs(loss - fixture.loss)).toBeLessThan(limit);
    for (const [key, expected] of fixture.gradients) {
      const distance = relativeDistance(result.gradients.get(key)!, expected);
      expect(distance, key).toBeLessThan(2 * torch.gradients[key]!);
    }
  });
});

describe("parameters in bfloat16", () => {
  it("compute with copies of matrices, rounded to nearest even, and with float32 vectors", async () => {
    // 1 + 2⁻⁸ lies between two bfloat16 values, 1 + 3 · 2⁻⁸ too; even wins.
    const matrix = Float32Array.of(1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, -3.140625);
    const vector = Float32Array.of(1 + 2 ** -20, 0.1);
    const values = new Map([
      ["matrix", matrix],
      ["vector", vector],
    ]);
    const shapes = [
      { name: "matrix", shape: [2, 2] },
      { name: "vector", shape: [2] },
    ];
    await launchLocal(1, async (rank) => {
      const { device } = rank;
      const stream = rank.stream("compute");
      const parameters = new Parameters(device, shapes, "bfloat16");
      copy(stream, { from: device.fromArray(parameters.join(values)), to: parameters.values });
      parameters.refresh(stream);
      const read = (name: string) => stream.read(parameters.get(name).value);
      expect([...(await read("matrix"))]).toEqual([1, 1, 1 + 2 ** -6, -3.140625]);
      expect(await read("vector")).toEqual(vector);
      const masters = parameters.split(Float32Array.from(await stream.read(parameters.values)));
      expect(masters.get("matrix")!.data).toEqual(matrix);
      expect(parameters.get("matrix").gradient.dtype).toBe("float32");
    });
  });
});
