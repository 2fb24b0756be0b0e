import { describe, expect, it } from "vitest";
import { replay } from "../../src/train/replay.js";
import { tinyRun, trainTiny } from "../support/tiny-run.js";

describe.each(["float32", "bfloat16"])("a replayed step in %s", { timeout: 60_000 }, (dtype) => {
  it("has the loss of the step that ran, bit for bit, under any planner", async () => {
    const run = tinyRun({ dp: 2, cp: 2 }, {}, { dtype, steps: 1 });
    const [record] = await trainTiny(run);
    const { strategy } = run.config;
    const strategies = [
      { ...strategy, planner: "ulysses" as const },
      { ...strategy, planner: "libra" as const },
    ];
    const [first, second] = await replay(run, [0, 1].map(atStep), strategies, 1);
    expect(first!.map(({ planner, loss }) => [planner, loss])).toEqual([
      ["ulysses", record!.loss],
      ["libra", record!.loss],
    ]);
    expect(second![0]!.loss).toBe(second![1]!.loss);
    expect(second![0]!.loss).not.toBe(record!.loss);
  });
});

function atStep(step: number) {
  return { epoch: 0, step };
}
