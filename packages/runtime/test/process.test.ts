import { beforeAll, describe, expect, it } from "vitest";
import { compiledRuntime } from "./support/compiled.js";
import { type Outcome, runProgram } from "./support/run-program.js";

let runtime = "";
beforeAll(() => {
  runtime = compiledRuntime("process");
});

/** A program with `busy(rank)`: about a second of work in the queue of a stream. */
function run(body: string): Promise<Outcome> {
  return runProgram(`
    import * as runtime from "${runtime}";
    const { launchLocal, add } = runtime;
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const busy = (rank) => {
      const stream = rank.stream("compute");
      const [a, b] = [rank.device.zeros([1 << 20]), rank.device.fromArray(new Float32Array(1 << 20).fill(1))];
      for (let i = 0; i < 200; i += 1) add(stream, { a, b, out: a });
      return { stream, a };
    };
    ${body}
  `);
}

describe("a process", () => {
  it("runs what is queued before it ends, though nobody awaits it", async () => {
    const { code, stdout, stderr } = await run(`
      launchLocal(2, async (rank) => busy(rank)).then(async ([first]) => {
        console.log("adds", first.stream.timings().add.count);
      });
    `);
    expect(stderr).toBe("");
    expect(stdout).toBe("adds 200\n");
    expect(code).toBe(0);
  });

  it("stays alive while a rank awaits its stream and ends after it", async () => {
    const { code, stdout } = await run(`
      const values = await launchLocal(2, async (rank) => {
        const { stream, a } = busy(rank);
        return (await stream.read(a))[0];
      });
      console.log(values.join());
    `);
    expect(stdout).toBe("200,200\n");
    expect(code).toBe(0);
  });

  it("exits when told, drains what can run and says what it dropped", async () => {
    const { code, signal, stderr } = await run(`
      launchLocal(2, async (rank) => {
        busy(rank);
        const comm = rank.stream("comm");
        if (rank.rank === 0) rank.world.barrier(comm);
        else await sleep(5000);
        await comm.done();
      });
      setTimeout(() => process.exit(3), 50);
    `);
    expect({ code, signal }).toEqual({ code: 3, signal: null });
    expect(stderr).toBe("libra: 1 queued operation(s) were dropped at exit\n");
  });

  it("ends with an uncaught error's code while streams are busy", async () => {
    const { code, signal, stderr } = await run(`
      launchLocal(2, async (rank) => { await busy(rank).stream.done(); });
      setTimeout(() => { throw new Error("uncaught"); }, 20);
    `);
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(stderr).toContain("uncaught");
  });

  it("fails with the culprit when nobody catches the launch", async () => {
    const { code, stderr } = await run(`
      await launchLocal(3, async (rank) => {
        if (rank.rank === 2) throw new Error("boom");
        const comm = rank.stream("comm");
        rank.world.barrier(comm);
        await comm.done();
      });
    `);
    expect(code).toBe(1);
    expect(stderr).toContain("Rank 2 failed: boom");
  });

  it("does not crash on a rejected done() that nobody awaits", async () => {
    const { code, stdout, stderr } = await run(`
      await launchLocal(2, async (rank) => {
        const comm = rank.stream("comm");
        rank.world.allReduce(comm, rank.device.zeros([rank.rank + 1]));
        comm.done();
        await sleep(100);
      }).catch((error) => console.log("caught", error.code));
    `);
    expect(stderr).toBe("");
    expect(stdout).toBe("caught MISMATCH\n");
    expect(code).toBe(0);
  });

  it("E8 imports without the native part; its first use says how to build it", async () => {
    const program = `
      import * as runtime from "${runtime}";
      console.log(typeof runtime.launchLocal);
      await runtime.launchLocal(1, async () => {}).catch((error) => console.log(error.code, error.message));
    `;
    const { stdout, code } = await runProgram(program, { LIBRA_NATIVE: "/nonexistent/libra.node" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^function\nNATIVE .*node scripts\/pnpm\.mjs run build/);
    expect(stdout).toContain("LIBRA_NATIVE /nonexistent/libra.node: no such file");
  });
});

describe("worker threads", () => {
  it("have streams of their own; one that is terminated leaves the others running", async () => {
    const { code, signal, stdout, stderr } = await run(`
      const { Worker } = await import("node:worker_threads");
      const source = \`
        import("${runtime}").then(async ({ launchLocal, fill }) => {
          const { parentPort } = await import("node:worker_threads");
          for (;;) {
            await launchLocal(2, async (rank) => {
              const stream = rank.stream("compute");
              const tensor = rank.device.empty([1 << 16]);
              for (let i = 0; i < 50; i += 1) fill(stream, { out: tensor, value: i });
              rank.world.allReduce(stream, tensor);
              await stream.done();
            });
            parentPort.postMessage("round");
          }
        });
      \`;
      for (let round = 0; round < 3; round += 1) {
        const workers = [0, 1].map(() => new Worker(source, { eval: true }));
        const sums = await launchLocal(2, async (rank) => {
          await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
            worker.once("message", resolve);
            worker.once("error", reject);
          })));
          const { stream, a } = busy(rank);
          if (rank.rank === 0) await workers[0].terminate();
          const value = (await stream.read(a))[0];
          return value;
        });
        console.log(sums.join());
        await workers[1].terminate();
      }
    `);
    expect(stderr).toBe("");
    expect(stdout).toBe("200,200\n200,200\n200,200\n");
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});
