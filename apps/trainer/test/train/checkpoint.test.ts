import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadModel } from "../../src/model/hugging-face-folder.js";
import { loadCheckpoint, newestCheckpoint } from "../../src/train/checkpoint.js";
import { train } from "../../src/train/train.js";
import { tinyRun, tinySizes, trainTiny } from "../support/tiny-run.js";

describe("a checkpoint", { timeout: 60_000 }, () => {
  it("makes 3 + restart + 3 steps the same as 6, bit for bit (case A3)", async () => {
    const layout = { dp: 2, cp: 2 };
    const whole = tinyRun(layout, {}, { steps: 6 });
    const six = await trainTiny(whole);
    const half = tinyRun(layout, {}, { steps: 3 });
    await trainTiny(half);
    const folder = newestCheckpoint(half.runFolder)!;
    expect(folder).toMatch(/checkpoint-3$/);
    const rest = tinyRun(layout, {}, { steps: 6 });
    const resumed = await trainTiny({ ...rest, start: loadCheckpoint(folder, tinySizes) });
    const numbers = (records: typeof six) =>
      records.map(({ step, loss, gradientNorm, planHash }) => [step, loss, gradientNorm, planHash]);
    expect(numbers(resumed)).toEqual(numbers(six.slice(3)));
    const model = (folder: string) => readFileSync(join(folder, "model.safetensors"));
    expect(
      model(newestCheckpoint(rest.runFolder)!).equals(model(newestCheckpoint(whole.runFolder)!)),
    ).toBe(true);
  });

  it("goes on with another number of ranks", async () => {
    const six = await trainTiny(tinyRun({ dp: 1, cp: 1 }, {}, { steps: 6 }));
    const half = tinyRun({ dp: 4, cp: 1 }, {}, { steps: 3 });
    await trainTiny(half);
    const start = loadCheckpoint(newestCheckpoint(half.runFolder)!, tinySizes);
    const rest = tinyRun({ dp: 1, cp: 2 }, {}, { steps: 6 });
    const resumed = await trainTiny({ ...rest, start });
    for (const [index, { loss, targets }] of resumed.entries()) {
      expect(targets).toBe(six[index + 3]!.targets);
      expect(Math.abs(loss / six[index + 3]!.loss - 1)).toBeLessThan(1e-5);
    }
  });

  it("is Hugging Face's layout and comes back", async () => {
    const run = tinyRun({ dp: 1, cp: 1 }, {}, { steps: 2, checkpoint: { every: 1 } });
    await trainTiny(run);
    expect(readdirSync(run.runFolder).sort()).toEqual(["checkpoint-1", "checkpoint-2"]);
    const folder = newestCheckpoint(run.runFolder)!;
    expect(readdirSync(folder).sort()).toEqual([
      "config.json",
      "first-moments.safetensors",
      "model.safetensors",
      "position.json",
      "second-moments.safetensors",
    ]);
    expect(loadModel(folder).sizes).toEqual(tinySizes);
  });

  it("that is damaged or of another model is refused by name", async () => {
    const run = tinyRun({ dp: 1, cp: 1 }, {}, { steps: 1 });
    await trainTiny(run);
    const folder = newestCheckpoint(run.runFolder)!;
    expect(() => loadCheckpoint(folder, { ...tinySizes, layers: 3 })).toThrow(
      /belongs to another model: layers is 3 but was 2/,
    );
    truncateSync(join(folder, "first-moments.safetensors"), 4000);
    expect(() => loadCheckpoint(folder, tinySizes)).toThrow(
      /first-moments.safetensors is not a readable safetensors file: tensor .* lies in bytes/,
    );
    writeFileSync(join(folder, "position.json"), "{}");
    expect(() => loadCheckpoint(folder, tinySizes)).toThrow(
      /position.json is no position of version 1/,
    );
  });
});

describe("a rank that fails", { timeout: 60_000 }, () => {
  it("stops all, is named, and leaves nothing half written", async () => {
    const run = tinyRun({ dp: 2, cp: 2 }, {}, { checkpoint: { every: 1 } });
    const started = performance.now();
    const failing = train(run, {
      beforeStep(rank, step) {
        if (rank === 1 && step === 3) throw new Error("out of paper");
      },
    });
    await expect(failing).rejects.toThrow(/^Rank 1 failed: out of paper/);
    expect(performance.now() - started).toBeLessThan(20_000);
    // The failing rank may be a step ahead of the one that writes.
    const left = readdirSync(run.runFolder);
    expect(left).toContain("checkpoint-1");
    expect(left.filter((name) => !/^checkpoint-[123]$/.test(name))).toEqual([]);
    expect(loadCheckpoint(newestCheckpoint(run.runFolder)!, tinySizes).step).toBeGreaterThan(0);
  });
});
