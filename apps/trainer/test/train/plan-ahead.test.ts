import { launchLocal } from "@libra/runtime";
import { planHash } from "@libra/sampler";
import { plannerByName, plannerNames, tilePlanHash } from "@libra/scheduler";
import { afterEach, describe, expect, it } from "vitest";
import { lengthsOf } from "../../src/data/documents.js";
import { PlanAhead } from "../../src/train/plan-ahead.js";
import { PlanThread } from "../../src/train/plan-thread.js";
import type { PreparedRun } from "../../src/train/prepare.js";
import { RankTrainer } from "../../src/train/rank-trainer.js";
import { samplerFor } from "../../src/train/step-layout.js";
import { train } from "../../src/train/train.js";
import { tinyRun, trainTiny } from "../support/tiny-run.js";

const layout = { dp: 2, cp: 2 };

async function numbersOf(run: PreparedRun) {
  const records = await trainTiny(run);
  return records.map(({ loss, gradientNorm, planHash, skewAfter }) => [
    loss,
    gradientNorm,
    planHash,
    skewAfter,
  ]);
}

function runWith(strategy: Record<string, unknown>, runtime: Record<string, unknown> = {}) {
  const more = { steps: 4, runtime: { threads: 1, timeoutMs: 20_000, ...runtime } };
  return tinyRun(layout, strategy, more);
}

describe("planning ahead", { timeout: 60_000 }, () => {
  it.each(["libra", "ulysses", "ring"])("gives the same bits (%s)", async (planner) => {
    const ahead = await numbersOf(runWith({ planner }, { checkPlansEvery: 2 }));
    expect(ahead).toEqual(await numbersOf(runWith({ planner }, { planAhead: false })));
    expect(ahead).toHaveLength(4);
  });

  it("hands out the sampler's steps in order, with the position after each", async () => {
    const run = runWith({});
    await launchLocal(1, async (rank) => {
      const single = tinyRun({ dp: 1, cp: 1 });
      const trainer = new RankTrainer(rank, single);
      const make = () => samplerFor(single.config, lengthsOf(run.documents));
      const planning = new PlanAhead(make(), trainer.strategy(single.config.strategy));
      const plain = make();
      for (let i = 0; i < 6; i += 1) {
        if (i % 3 > 0) planning.ahead();
        planning.ahead();
        const { step, state, tiles } = await planning.take();
        expect(planHash(step)).toBe(planHash(plain.next()));
        expect(state).toEqual(plain.state());
        expect(tiles).toHaveLength(4);
      }
    });
  });

  it("happens after all is enqueued and before the loss is there", async () => {
    const run = runWith({});
    await launchLocal(4, async (rank) => {
      const trainer = new RankTrainer(rank, run);
      const strategy = trainer.strategy(run.config.strategy);
      const sampler = samplerFor(run.config, lengthsOf(run.documents));
      const planned = await strategy.planStep(sampler.next());
      const order: string[] = [];
      const { loss } = await trainer
        .gradients(planned, strategy, () => order.push("meanwhile"))
        .finally(() => order.push("done"));
      expect(order).toEqual(["meanwhile", "done"]);
      expect(loss).toBeGreaterThan(0);
    });
  });
});

describe("strategies", { timeout: 120_000 }, () => {
  it("agree over all planners, with two hops, kept tiles and the automatic tolerance", async () => {
    const expected = await numbersOf(tinyRun({ dp: 1, cp: 1 }, {}, { steps: 2 }));
    const strategies = [
      ...plannerNames.map((planner) => ({ planner, keepTiles: planner.length % 2 === 0 })),
      { planner: "libra", tolerance: "auto" },
      { planner: "disaggregated", scope: "world", tolerance: 0 },
    ];
    for (const strategy of strategies) {
      const run = tinyRun(
        { dp: 2, cp: 2 },
        { hops: 2, ...strategy },
        { steps: 2, layout: { dp: 2, cp: 2, ranksPerNode: 2 } },
      );
      for (const [step, [loss]] of (await numbersOf(run)).entries()) {
        const label = `${JSON.stringify(strategy)} step ${step}`;
        expect(Math.abs((loss as number) / (expected[step]![0] as number) - 1), label).toBeLessThan(
          1e-5,
        );
      }
    }
  });

  it("give the same bits with kept tiles, and tell the memory of both ways", async () => {
    const memories: unknown[] = [];
    const losses: unknown[] = [];
    for (const keepTiles of [false, true]) {
      const run = runWith({ keepTiles });
      const records: unknown[] = [];
      await train(run, {
        step: ({ loss, gradientNorm }) => records.push([loss, gradientNorm]),
        memory: (memory) => {
          expect(memory.keepTiles).toBe(keepTiles);
          expect(memory.kept.held).toBeGreaterThan(0);
          expect(memory.sentAgain.held).toBe(0);
          expect(memory.kept.backward).toBeLessThan(memory.sentAgain.backward);
          memories.push({ kept: memory.kept, sentAgain: memory.sentAgain });
        },
      });
      losses.push(records);
    }
    expect(losses[1]).toEqual(losses[0]);
    expect(memories).toHaveLength(2);
    expect(memories[1]).toEqual(memories[0]);
  });
});

describe("a planner over the world", { timeout: 60_000 }, () => {
  let thread: PlanThread | undefined;
  afterEach(() => thread?.close());

  it("plans in a thread what it plans here, for all ranks of a process", async () => {
    const world = await numbersOf(runWith({ planner: "disaggregated", scope: "world" }));
    const pool = await numbersOf(runWith({ planner: "disaggregated" }));
    expect(world).toEqual(pool);

    const run = runWith({ planner: "disaggregated", scope: "world", ownedRows: "zigzag" });
    const shared = new PlanThread();
    thread = shared;
    const plans = await launchLocal(4, async (rank) => {
      const sampler = samplerFor(run.config, lengthsOf(run.documents));
      const planned = [];
      for (let step = 0; step < 3; step += 1) {
        const plan = sampler.next();
        const [there, here] = [shared, undefined].map((used) =>
          new RankTrainer(rank, run, used).strategy(run.config.strategy),
        );
        planned.push((await there!.planStep(plan)).tiles, (await here!.planStep(plan)).tiles);
      }
      return planned;
    });
    for (const [i, tiles] of plans[0]!.entries()) {
      expect(tiles.map(tilePlanHash)).toEqual(plans[0]![i - (i % 2)]!.map(tilePlanHash));
      // The thread's plans are made once; those made here, once a rank.
      expect(plans[3]![i]![0] === tiles[0]).toBe(i % 2 === 0);
    }
  });

  it("passes on what the planner says, and fails when the thread ends", async () => {
    thread = new PlanThread();
    const input = { sequences: [], owned: [], heads: plannerHeads, cp: 1 };
    const request = (planner: string) => () => ({ planner, options: {}, input, rowBlock: 16 });
    await expect(thread.plan("a", request("ullyses"))).rejects.toMatchObject({
      code: "ARGUMENT",
      message: expect.stringContaining("did you mean ulysses"),
    });
    const pending = thread.plan("b", request("libra"));
    const failed = expect(pending).rejects.toThrow();
    await thread.close();
    await failed;
    expect(plannerByName("disaggregated", { scope: "world" }).scope).toBe("world");
  });
});

const plannerHeads = { queryHeads: 2, kvHeads: 1, headDim: 4, valueDim: 4 };
