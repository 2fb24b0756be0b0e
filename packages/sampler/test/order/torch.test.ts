import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { torchDistributedIndices } from "../../src/order/torch-distributed.js";
import { torchRandperm } from "../../src/order/torch-randperm.js";
import { plain } from "../helpers.js";

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));

describe("orders of torch 2.13", () => {
  test("torchRandperm equals torch.randperm", () => {
    const permutations = Object.entries(golden("torch-randperm") as Record<string, number[]>);
    expect(permutations.length).toBeGreaterThan(10);
    for (const [key, permutation] of permutations) {
      const [count, seed] = key.split(",").map(Number);
      expect(plain(torchRandperm(count!, seed!)), key).toEqual(permutation);
    }
  });

  test("torchDistributedIndices equals DistributedSampler on every rank", () => {
    interface Sample {
      n: number;
      replicas: number;
      drop_last: boolean;
      shuffle: boolean;
      seed: number;
      epoch: number;
      ranks: number[][];
    }
    for (const sample of golden("torch-distributed-sampler") as Sample[]) {
      for (const [rank, indices] of sample.ranks.entries()) {
        const ours = torchDistributedIndices({
          count: sample.n,
          replicas: sample.replicas,
          rank,
          shuffle: sample.shuffle,
          seed: sample.seed,
          epoch: sample.epoch,
          dropLast: sample.drop_last,
        });
        expect(plain(ours), JSON.stringify(sample)).toEqual(indices);
      }
    }
  });

  test("refuses counts for which torch uses another algorithm, and bad ranks", () => {
    expect(() => torchRandperm(2 ** 28, 0)).toThrow(/bit-exact below 214748364/);
    expect(() => torchDistributedIndices({ count: 4, replicas: 2, rank: 2 })).toThrow(
      "Expected an integer from 0 to 1 for rank but received 2",
    );
  });
});
