import { describe, expect, it } from "vitest";
import { compare } from "../src/compare.js";
import { clusterByName } from "../src/machine/cluster.js";
import { closeEnough, recommend } from "../src/recommend.js";
import { longTail, tinyModel } from "./support/scenarios.js";

const cluster = { ...clusterByName("h100-ib"), ranksPerNode: 4 };
// Attention has to weigh something beside the linear operators of so small a model.
const model = { ...tinyModel, hidden: 64, ffn: 64, vocab: 100, queryHeads: 16, kvHeads: 4 };
const base = {
  model,
  cluster,
  gpus: 16,
  cp: 2,
  window: 65536,
  globalBatch: 8,
  steps: 2,
  jitter: 0,
};

describe("compare", () => {
  it("has each strategy once at its best, and Libra at each pool size", () => {
    const seen: number[] = [];
    const { rows, tried, refused } = compare({
      ...base,
      lengths: longTail(4000, 1, 2000, 1.8),
      onProgress: (done, total) => seen.push(done / total),
    });
    expect(rows.map((row) => `${row.strategy} ${row.settings.pool ?? ""}`.trim())).toEqual([
      "ulysses",
      "perDocument",
      "wlb",
      "hybridCp",
      "distca",
      "libra 1",
      "libra 2",
      "libra 4",
      "libra 8",
    ]);
    expect(tried.length).toBeGreaterThan(rows.length);
    expect(refused).toEqual([]);
    expect(seen.at(-1)).toBe(1);
    expect(seen.every((share, i) => i === 0 || share >= seen[i - 1]!)).toBe(true);
  });

  it("says that plain packing is enough when all documents are alike", () => {
    const lengths = new Uint32Array(4000).fill(4096);
    const { recommendation } = compare({ ...base, strategies: ["ulysses", "libra"], lengths });
    expect(recommendation.choice.strategy).toBe("ulysses");
    expect(recommendation.reasons[0]).toMatch(/Plain packing is enough/);
  });

  it("recommends a pool for long tails and one micro-step, and P = 1 for many micro-steps", () => {
    const lengths = longTail(20_000, 1, 2000, 1.8);
    const few = compare({ ...base, strategies: ["ulysses", "libra"], lengths }).recommendation;
    expect(few.choice.strategy).toBe("libra");
    expect(few.choice.settings.pool).toBeGreaterThan(1);
    expect(few.reasons[0]).toMatch(/plain packing/);
    const many = compare({
      ...base,
      strategies: ["ulysses", "libra"],
      globalBatch: 128,
      lengths,
    }).recommendation;
    expect(many.choice.settings.pool).toBe(1);
    expect(many.reasons.join(" ")).toMatch(/P = 1 is enough: placement alone/);
  });

  it("compares the layouts that fit, and says why others do not", () => {
    const { rows, refused } = compare({
      ...base,
      strategies: ["ulysses"],
      cps: [2, 3, 4],
      lengths: longTail(4000, 1, 2000, 1.8),
    });
    expect(rows.map((row) => row.layout.cp)).toEqual([2, 4]);
    expect(refused).toMatchObject([{ cp: 3, reason: expect.stringMatching(/does not divide/) }]);
    const strategies = ["ulysses"] as const;
    expect(() => compare({ ...base, strategies, lengths: [5] })).toThrow(/but the corpus fills 0/);
    expect(() => compare({ ...base, strategies, cp: 3, lengths: [5] })).toThrow(/does not divide/);
  });
});

describe("recommend", () => {
  const { rows } = compare({ ...base, lengths: longTail(4000, 1, 2000, 1.8) });

  it("never gives more than 2 % away of what runs, and nothing that does not fit", () => {
    const runnable = rows.filter(({ strategy }) => !/distca|hybridCp/.test(strategy));
    const { choice, fastest } = recommend(runnable);
    expect(choice.utilisation).toBeGreaterThanOrEqual((1 - closeEnough) * fastest.utilisation);
    const tight = runnable.map((row) =>
      row === fastest ? { ...row, memory: { ...row.memory, fits: false } } : row,
    );
    const second = recommend(tight);
    expect(second.fastest).not.toBe(fastest);
    expect(second.reasons.at(-1)).toMatch(/Left out for memory/);
  });

  it("names a faster baseline, but recommends what the trainer runs", () => {
    const wins = rows.map((row) =>
      row.strategy === "distca" ? { ...row, utilisation: 0.99 } : row,
    );
    const { choice, fastest, reasons } = recommend(wins);
    expect(fastest.strategy).toBe("distca");
    expect(choice.strategy).not.toBe("distca");
    expect(reasons.join(" ")).toMatch(/distca, a baseline that the trainer does not run, is/);
  });

  it("says what is missing when nothing fits", () => {
    const none = rows.map((row) => ({ ...row, memory: { ...row.memory, fits: false } }));
    expect(recommend(none).reasons.at(-1)).toMatch(/Nothing fits: the fullest rank needs/);
  });

  it("says so when another strategy is faster than Libra", () => {
    const wins = rows.map((row) => (row.strategy === "wlb" ? { ...row, utilisation: 0.99 } : row));
    const { choice, reasons } = recommend(wins);
    expect(choice.strategy).toBe("wlb");
    expect(reasons[0]).toMatch(/Libra at its best is .*moves documents between steps/);
  });
});
