import { describe, expect, it } from "vitest";
import { launchLocal, type Rank } from "../src/index.js";
import { faultOf } from "./support/fault.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function meet(rank: Rank): Promise<void> {
  const stream = rank.stream("comm");
  rank.world.barrier(stream);
  await stream.done();
}

describe("launchLocal", () => {
  it("returns the programs' values by rank", async () => {
    expect(await launchLocal(3, async ({ rank, size }) => [rank, size])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
  });

  it("gives each rank at least one thread", async () => {
    const threads = await launchLocal(64, async ({ device }) => device.threads);
    expect(new Set(threads)).toEqual(new Set([1]));
    expect(await launchLocal(1, async ({ device }) => device.threads, { threads: 3 })).toEqual([3]);
  });

  it("throws the culprit's error at once, not the first to reject", async () => {
    const begin = performance.now();
    const cause = new Error("boom");
    let signalled: unknown;
    const launch = launchLocal(4, async (rank) => {
      if (rank.rank === 1) {
        await sleep(20);
        throw cause;
      }
      if (rank.rank === 2) {
        rank.signal.addEventListener("abort", () => {
          signalled = rank.signal.reason;
        });
        await sleep(2000); // the launch does not wait for it
      }
      await meet(rank);
    });
    const error = await faultOf(launch);
    expect(error).toMatchObject({
      code: "RANK_FAILED",
      message: "Rank 1 failed: boom",
      details: { rank: 1 },
    });
    expect(error.cause).toBe(cause);
    expect(signalled).toBe(error);
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it("stops victims with an error that names the culprit", async () => {
    let victim: unknown;
    const launch = launchLocal(2, async (rank) => {
      if (rank.rank === 1) throw new Error("boom");
      await meet(rank).catch((error: unknown) => {
        victim = error;
      });
      expect(() => rank.stream("comm").record()).toThrow("Rank 1 failed: boom");
    });
    await faultOf(launch);
    await sleep(20);
    expect(victim).toMatchObject({ code: "ABORTED", message: expect.stringContaining("Rank 1") });
  });

  it("tells peers at once of a rank that returned early", async () => {
    const begin = performance.now();
    const launch = launchLocal(4, async (rank) => {
      await meet(rank);
      if (rank.rank !== 3) await meet(rank);
    });
    expect(await faultOf(launch)).toMatchObject({
      code: "RANK_FAILED",
      message: expect.stringMatching(/^Rank 3 returned without joining barrier #1 of ranks/),
      details: { rank: 3, operation: "barrier", sequence: 1, stream: "comm" },
    });
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it("lets a rank return before what it enqueued has run", async () => {
    const done = await launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      if (rank.rank === 1) await sleep(50);
      rank.world.barrier(stream);
      return stream;
    });
    for (const stream of done) expect(stream.timings().barrier?.count).toBe(1);
  });

  it("names who never came when time runs out", async () => {
    const launch = launchLocal(
      3,
      async (rank) => {
        if (rank.rank === 1) await sleep(3000);
        await meet(rank);
      },
      { timeoutMs: 200 },
    );
    const { code, message, details } = await faultOf(launch);
    expect(code).toBe("TIMEOUT");
    expect(message).toMatch(/waited \d+ ms in barrier #0 of ranks \{0, 1, 2\} on stream "comm"/);
    expect(message).toContain("never arrived: rank 1");
    expect(details).toMatchObject({ operation: "barrier", sequence: 0, missing: [1] });
  });

  it("does not count the time this thread is busy", async () => {
    await launchLocal(
      2,
      async (rank) => {
        if (rank.rank === 0) {
          await sleep(30);
          const begin = performance.now();
          while (performance.now() - begin < 900); // tokenising, say
        }
        await meet(rank);
      },
      { timeoutMs: 400 },
    );
  });

  it("ends by its signal", async () => {
    const controller = new AbortController();
    const launch = launchLocal(2, async (rank) => (rank.rank === 0 ? meet(rank) : sleep(3000)), {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    expect(await faultOf(launch)).toMatchObject({
      code: "ABORTED",
      message: "The launch was aborted: enough",
    });
    const again = launchLocal(1, async () => 0, { signal: controller.signal });
    expect((await faultOf(again)).code).toBe("ABORTED");
  });

  it("reports an error on a stream that nobody awaited", async () => {
    const launch = launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      rank.world.allReduce(stream, rank.device.zeros([rank.rank + 1]));
      void stream.done();
    });
    expect((await faultOf(launch)).code).toBe("MISMATCH");
  });

  it("works again after failures, several at a time", async () => {
    const launches = Array.from({ length: 6 }, (_, i) =>
      launchLocal(3, async (rank) => {
        await meet(rank);
        if (i % 2 === 1 && rank.rank === 2) throw new Error(`launch ${i}`);
        await meet(rank);
        return i;
      }),
    );
    const outcomes = await Promise.allSettled(launches);
    outcomes.forEach((outcome, i) => {
      if (i % 2 === 0) expect(outcome).toMatchObject({ value: [i, i, i] });
      else expect(outcome).toMatchObject({ reason: { message: `Rank 2 failed: launch ${i}` } });
    });
  });

  it("refuses options it cannot use", async () => {
    const main = async (): Promise<void> => {};
    await expect(launchLocal(0, main)).rejects.toThrow("for size but received 0");
    await expect(launchLocal(1, main, { threads: 0 })).rejects.toThrow("for threads");
    await expect(launchLocal(1, main, { timeoutMs: -1 })).rejects.toThrow("for timeoutMs");
    await expect(launchLocal(1, main, { fuzz: { seed: -1 } })).rejects.toThrow("for fuzz.seed");
    // @ts-expect-error: not an instruction set
    await expect(launchLocal(1, main, { instructionSet: "sse" })).rejects.toThrow(/base/);
    const cuda = await faultOf(launchLocal(1, main, { device: "cuda" }));
    expect(cuda.code).toBe("UNSUPPORTED");
    expect(cuda.message).toContain("libcuda.so.1");
  });
});
