import { copy, launchLocal, rope } from "@libra/runtime";
import { ownedIndices, zigzagRows } from "@libra/topology";
import { describe, expect, it } from "vitest";
import { checkConfig } from "../../src/config/load-config.js";
import { Parameters } from "../../src/model/parameters.js";
import { learningRateAt } from "../../src/train/learning-rate.js";
import { Optimizer } from "../../src/train/optimizer.js";
import { maxDifference, relativeDistance } from "../support/compare.js";
import { readFixture } from "../support/fixture.js";
import { rowsOf, runCase } from "../support/on-ranks.js";
import { reference } from "../support/reference.js";

const { sizes, weights, documents } = readFixture("qwen3-untied");
const model = { sizes, weights };
const width = sizes.vocabulary;

describe("documents in one sequence", { timeout: 60_000 }, () => {
  it("do not see each other, on any number of ranks (cases B1, B2)", async () => {
    const [first, second] = [documents[1]!, documents[1]!];
    const changed = Int32Array.from(first);
    changed[3] = (changed[3]! + 1) % width;
    for (const cp of [1, 2, 4, 5, 8]) {
      const before = await runCase({ ...model, ...rowsOf([first, second]), cp });
      const after = await runCase({ ...model, ...rowsOf([changed, second]), cp });
      const border = first.length * width;
      expect(after.logits.subarray(border)).toEqual(before.logits.subarray(border));
      // Equal documents give equal outputs; a changed one changes from the changed token on.
      expect(before.logits.subarray(border)).toEqual(before.logits.subarray(0, border));
      const rows = Array.from({ length: 2 * first.length }, (_, row) => row);
      const rowChanged = (row: number) =>
        maxDifference(
          after.logits.subarray(row * width, (row + 1) * width),
          before.logits.subarray(row * width, (row + 1) * width),
        ) > 0;
      expect(rows.filter(rowChanged)).toEqual(rows.slice(3, first.length));
    }
  });

  it("keep their borders when positions begin elsewhere (case B4)", async () => {
    const { whole, cuSeqlens } = rowsOf(documents);
    const moved = { ...whole, positions: whole.positions.map((position) => position + 5) };
    for (const cp of [1, 3, 8]) {
      const before = await runCase({ ...model, whole, cuSeqlens, cp });
      const after = await runCase({ ...model, whole: moved, cuSeqlens, cp });
      // Rotary positions count only by their differences.
      expect(maxDifference(after.logits, before.logits)).toBeLessThan(2e-5);
    }
  });

  it("may be empty or of one token", async () => {
    const parts = [[], [5], [], [7, 8, 9], [2]];
    const expected = reference(sizes, weights, parts, 1);
    for (const cp of [1, 2, 4, 5, 8]) {
      const result = await runCase({ ...model, ...rowsOf(parts), cp });
      expect(result.targets).toBe(2);
      expect(Math.abs(result.lossSum / expected.lossSum - 1)).toBeLessThan(1e-6);
      for (const [name, gradient] of result.gradients) {
        expect(relativeDistance(gradient, expected.gradients.get(name)!), name).toBeLessThan(1e-5);
      }
    }
  });

  it("keep their positions in zigzag shards (case B10)", async () => {
    const cuSeqlens = Int32Array.of(0, 4, 8);
    const positions = Int32Array.of(0, 1, 2, 3, 0, 1, 2, 3);
    const q = Float32Array.from({ length: 8 * 2 * 4 }, (_, i) => Math.sin(0.37 * i + 0.1));
    const owned = ownedIndices(zigzagRows(cuSeqlens, 2), 0);
    expect([...owned]).toEqual([0, 3, 4, 7]);
    const [rotated] = await launchLocal(1, async (rank) => {
      const { device } = rank;
      const stream = rank.stream("compute");
      const turn = async (rows: Int32Array) => {
        const values = Float32Array.from(
          [...rows].flatMap((row) => [...q.subarray(row * 8, row * 8 + 8)]),
        );
        const x = device.fromArray(values, [rows.length, 2, 4]);
        const at = device.fromArray(
          rows.map((row) => positions[row]!),
          [rows.length],
        );
        rope(stream, { x, positions: at, theta: 1e6, out: x });
        return Float32Array.from(await stream.read(x));
      };
      return { whole: await turn(Int32Array.from(positions.keys())), shard: await turn(owned) };
    });
    for (const [local, row] of owned.entries()) {
      expect(rotated!.shard.subarray(local * 8, local * 8 + 8)).toEqual(
        rotated!.whole.subarray(row * 8, row * 8 + 8),
      );
    }
  });
});

describe("loss and gradients", { timeout: 60_000 }, () => {
  it("are those of all targets together, not means of means (case B11)", async () => {
    const parts = [
      [3, 1, 4],
      [1, 5, 9, 2, 6, 5, 3, 5, 8],
    ];
    const scale = 1 / 10;
    const apart = [];
    for (const part of parts) {
      apart.push(await runCase({ ...model, ...rowsOf([part]), cp: 1, scale }));
    }
    expect(apart.map(({ targets }) => targets)).toEqual([2, 8]);
    const sum = apart[0]!.lossSum + apart[1]!.lossSum;
    for (const cp of [2, 4, 5, 8]) {
      const together = await runCase({ ...model, ...rowsOf(parts), cp, scale });
      expect(together.targets).toBe(10);
      expect(Math.abs(together.lossSum / sum - 1)).toBeLessThan(1e-6);
      for (const [name, gradient] of together.gradients) {
        const [a, b] = apart.map(({ gradients }) => gradients.get(name)!);
        const added = a!.map((value, i) => value + b![i]!);
        expect(relativeDistance(gradient, added), name).toBeLessThan(5e-6);
      }
    }
  });

  it("are not scaled by the number of ranks (case B12)", async () => {
    const { whole, cuSeqlens } = rowsOf([[3, 1, 4, 1]]);
    const last = { ...whole, targets: Int32Array.of(-100, -100, 5, -100) };
    const one = await runCase({ ...model, whole: last, cuSeqlens, cp: 1 });
    expect(one.targets).toBe(1);
    for (const cp of [2, 4, 5, 8]) {
      const other = await runCase({ ...model, whole: last, cuSeqlens, cp });
      expect(Math.abs(other.lossSum / one.lossSum - 1)).toBeLessThan(1e-6);
      for (const [name, gradient] of one.gradients) {
        expect(relativeDistance(other.gradients.get(name)!, gradient), name).toBeLessThan(2e-6);
      }
    }
  });

  it("are finite when a shard has no target (case B13)", async () => {
    const { whole, cuSeqlens } = rowsOf([[3, 1, 4, 1, 5, 9]]);
    const targets = Int32Array.of(-100, -100, -100, 1, 5, 9);
    const given = { ...model, whole: { ...whole, targets }, cuSeqlens, scale: 1 / 3 };
    const one = await runCase({ ...given, cp: 1 });
    for (const cp of [2, 4, 5, 8]) {
      const result = await runCase({ ...given, cp });
      expect(result.targets).toBe(3);
      expect(Math.abs(result.lossSum / one.lossSum - 1)).toBeLessThan(1e-6);
      for (const gradient of result.gradients.values()) {
        expect(gradient.every(Number.isFinite)).toBe(true);
      }
    }
  });

  it("are 0 when nothing has a target (case B13)", async () => {
    for (const cp of [1, 2, 4, 5, 8]) {
      const result = await runCase({ ...model, ...rowsOf([[3], [1], [4]]), cp, scale: 0 });
      expect([result.lossSum, result.targets]).toEqual([0, 0]);
      for (const [name, gradient] of result.gradients) {
        expect(
          gradient.every((value) => value === 0),
          name,
        ).toBe(true);
      }
    }
  });

  it("come through an attention that took part (case C14)", async () => {
    for (const planner of ["ulysses", "allGather", "libra"]) {
      const { stats } = await runCase({ ...model, ...rowsOf(documents), cp: 2, planner });
      for (const rank of stats) {
        expect(rank.calls, planner).toBe(2 * sizes.layers);
        expect(rank.tiles, planner).toBeGreaterThan(0);
      }
      // The first of two contiguous shards needs nothing of the second under allGather.
      const sent = stats.reduce((sum, rank) => sum + rank.vectorsSent, 0);
      expect(sent, planner).toBeGreaterThan(0);
    }
  });
});

describe("the optimizer", { timeout: 60_000 }, () => {
  it("counts a parameter once in the norm, on any number of ranks (case B14)", async () => {
    const config = checkConfig({ optimizer: { clipNorm: 1, beta1: 0, warmupSteps: 0 } }, "test");
    const results = await launchLocal(2, async (rank) => {
      const { device } = rank;
      const stream = rank.stream("compute");
      const parameters = new Parameters(device, [{ name: "w", shape: [1, 2] }]);
      const optimizer = new Optimizer({ device, stream }, parameters, config.optimizer);
      const partial = parameters.join(new Map([["w", Float32Array.of(1.5, 2)]]));
      const from = device.fromArray(partial, [partial.length]);
      copy(stream, { from, to: parameters.gradients });
      rank.world.allReduce(stream, parameters.gradients);
      const [norm] = await stream.read(optimizer.update(0));
      const clipped = parameters.split(Float32Array.from(await stream.read(optimizer.first)));
      return { norm, clipped: [...clipped.get("w")!.data] };
    });
    for (const { norm, clipped } of results) {
      expect(norm).toBeCloseTo(5, 5);
      expect(clipped[0]).toBeCloseTo(0.6, 5);
      expect(clipped[1]).toBeCloseTo(0.8, 5);
    }
  });

  it("warms up linearly and then keeps the rate", () => {
    const { optimizer } = checkConfig({ optimizer: { learningRate: 1, warmupSteps: 4 } }, "test");
    expect([0, 1, 3, 4, 99].map((step) => learningRateAt(optimizer, step))).toEqual([
      0.25, 0.5, 1, 1, 1,
    ]);
    expect(learningRateAt({ ...optimizer, warmupSteps: 0 }, 0)).toBe(1);
  });
});
