import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadModel } from "../../src/model/hugging-face-folder.js";
import { loadCheckpoint, newestCheckpoint } from "../../src/train/checkpoint.js";
import { relativeDistance } from "../support/compare.js";
import {
  type FirstStep,
  firstStep,
  sameBits,
  tinyRun,
  tinySizes,
  trainTiny,
} from "../support/tiny-run.js";

const bfloat16 = { dtype: "bfloat16" };
const single = { dp: 1, cp: 1 };
const layouts = [
  { dp: 2, cp: 1 },
  { dp: 1, cp: 2 },
  { dp: 2, cp: 3 },
];
/** Planners, and how far their gradients may be apart: parts of one rank's distance from float32. */
const planners = [
  { planner: "ulysses", apart: 0.1, lossApart: 1e-6 },
  { planner: "allGather", apart: 0.1, lossApart: 1e-6 },
  { planner: "libra", apart: 0.1, lossApart: 1e-6 },
  // Results over parts of the keys are merged before they are rounded.
  { planner: "ring", apart: 1, lossApart: 2e-4 },
];

function numbers(records: Awaited<ReturnType<typeof trainTiny>>) {
  return records.map(({ step, loss, gradientNorm, planHash }) => [
    step,
    loss,
    gradientNorm,
    planHash,
  ]);
}

describe("the first step in bfloat16", { timeout: 60_000 }, () => {
  it("agrees on all layouts and planners, nearer than rounding puts it from float32", async () => {
    const exact = await firstStep(tinyRun(single));
    const one = await firstStep(tinyRun(single, {}, bfloat16));
    const distance = (a: FirstStep, b: FirstStep, name: string) =>
      relativeDistance(a.gradients.get(name)!.data, b.gradients.get(name)!.data);
    for (const layout of [single, ...layouts]) {
      for (const { planner, apart, lossApart } of planners) {
        const other = await firstStep(tinyRun(layout, { planner }, bfloat16));
        const label = `${planner} dp ${layout.dp} cp ${layout.cp}`;
        expect(Math.abs(other.loss / one.loss - 1), label).toBeLessThan(lossApart);
        for (const name of one.gradients.keys()) {
          const limit = apart * distance(one, exact, name);
          expect(distance(other, one, name), `${label} ${name}`).toBeLessThanOrEqual(limit);
        }
      }
    }
  });

  it("is bitwise the same under ulysses and libra when no KV group is cut", async () => {
    for (const layout of layouts.filter(({ cp }) => cp <= 2)) {
      const ulysses = await firstStep(tinyRun(layout, { planner: "ulysses" }, bfloat16));
      const strategy = { planner: "libra", granularity: "kvGroup" };
      const libra = await firstStep(tinyRun(layout, strategy, bfloat16));
      expect(sameBits(libra, ulysses), JSON.stringify(layout)).toBe(true);
    }
  });

  it("is bitwise the same in any order that events allow", async () => {
    const run = () => tinyRun({ dp: 2, cp: 2 }, { planner: "libra" }, bfloat16);
    const threaded = await firstStep(run());
    for (let seed = 0; seed < 4; seed += 1) {
      expect(sameBits(await firstStep(run(), { seed }), threaded), `seed ${seed}`).toBe(true);
    }
  });
});

describe("20 steps in bfloat16", { timeout: 60_000 }, () => {
  it("follow float32 to 0.002, and give the same bits when run again", async () => {
    const exact = await trainTiny(tinyRun(single));
    const rounded = await trainTiny(tinyRun({ dp: 2, cp: 2 }, {}, bfloat16));
    for (const [step, { loss, targets }] of exact.entries()) {
      expect(Math.abs(rounded[step]!.loss / loss - 1), `step ${step}`).toBeLessThan(2e-3);
      expect(rounded[step]!.targets).toBe(targets);
    }
    expect(rounded[19]!.loss).toBeLessThan(0.8 * rounded[0]!.loss);
    const again = await trainTiny(tinyRun({ dp: 2, cp: 2 }, {}, bfloat16));
    expect(numbers(again)).toEqual(numbers(rounded));
  });

  it("may be cut by a checkpoint, which holds the float32 masters, without a changed bit", async () => {
    const layout = { dp: 2, cp: 1 };
    const six = await trainTiny(tinyRun(layout, {}, { ...bfloat16, steps: 6 }));
    const half = tinyRun(layout, {}, { ...bfloat16, steps: 3 });
    await trainTiny(half);
    const folder = newestCheckpoint(half.runFolder)!;
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    expect(config.dtype).toBe("float32");
    const [head] = [...loadModel(folder).values].at(-1)!.slice(1) as [Float32Array];
    const bits = new Uint32Array(head.buffer, head.byteOffset, head.length);
    expect(bits.filter((word) => (word & 0xffff) !== 0).length).toBeGreaterThan(0.9 * bits.length);
    const rest = tinyRun(layout, {}, { ...bfloat16, steps: 6 });
    const resumed = await trainTiny({ ...rest, start: loadCheckpoint(folder, tinySizes) });
    expect(numbers(resumed)).toEqual(numbers(six.slice(3)));
  });
});
