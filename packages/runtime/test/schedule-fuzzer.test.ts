import { describe, expect, it } from "vitest";
import { add, fill, launchLocal, type Rank, type Stream, scale } from "../src/index.js";
import { consecutive } from "./support/blocks.js";
import { faultOf } from "./support/fault.js";

/** A pipeline over two streams: scale by rank, shift around the ring, add, a few rounds. */
async function ring(rank: Rank): Promise<readonly number[]> {
  const { device, world } = rank;
  const [compute, comm] = [rank.stream("compute"), rank.stream("comm")];
  const [own, next, sum] = [device.empty([8]), device.empty([8]), device.empty([8])];
  fill(compute, { out: own, value: rank.rank + 1 });
  fill(compute, { out: sum, value: 0 });
  const to = (shift: number): number[] =>
    Array.from({ length: world.size }, (_, peer) =>
      peer === (world.rank + shift + world.size) % world.size ? 8 : 0,
    );
  for (let round = 0; round < 3; round += 1) {
    comm.wait(compute.record());
    const ends = { sources: [own], destinations: [next], vectorSize: 1 };
    world.exchange(comm, [{ send: consecutive(to(1)), receive: consecutive(to(-1)), ...ends }]);
    compute.wait(comm.record());
    add(compute, { a: sum, b: next, out: sum });
    scale(compute, { x: next, factor: 3, out: own });
  }
  return Array.from(await compute.read(sum));
}

/** The program with the n-th wait of the stream left out. */
function without(program: (rank: Rank) => Promise<readonly number[]>, name: string, n: number) {
  return async (rank: Rank): Promise<readonly number[]> => {
    const stream: Stream = rank.stream(name);
    const wait = stream.wait.bind(stream);
    let waits = 0;
    stream.wait = (event) => {
      if (waits++ !== n) wait(event);
    };
    return await program(rank);
  };
}

describe("schedule fuzzing", () => {
  it("gives the same bits for every seed, and as without it", async () => {
    const wanted = await launchLocal(3, ring);
    for (let seed = 0; seed < 60; seed += 1) {
      expect(await launchLocal(3, ring, { fuzz: { seed } })).toEqual(wanted);
    }
  });

  it("shows each single missing wait for some seed", async () => {
    const wanted = await launchLocal(3, ring);
    for (const name of ["compute", "comm"]) {
      for (const n of [0, 1, 2]) {
        let seen = false;
        for (let seed = 0; seed < 40 && !seen; seed += 1) {
          const got = await launchLocal(3, without(ring, name, n), { fuzz: { seed } });
          seen = JSON.stringify(got) !== JSON.stringify(wanted);
        }
        expect(seen, `wait ${n} of ${name}`).toBe(true);
      }
    }
  });

  it("replays a seed's order exactly", async () => {
    // What a program without waits reads depends on the order only.
    const racy = async (rank: Rank): Promise<readonly number[]> => {
      const tensor = rank.device.zeros([4]);
      for (let i = 0; i < 20; i += 1) {
        add(rank.stream("a"), { a: tensor, b: tensor, out: tensor });
        fill(rank.stream(`b${i}`), { out: tensor.slice(i % 4, (i % 4) + 1), value: i });
      }
      await Promise.all([rank.stream("a").done()]);
      return Array.from(await rank.stream("a").read(tensor));
    };
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 10; seed += 1) {
      const runs = [0, 1].map(() => launchLocal(2, racy, { fuzz: { seed } }));
      const [first, second] = await Promise.all(runs);
      expect(first).toEqual(second);
      outcomes.add(JSON.stringify(first));
    }
    expect(outcomes.size).toBeGreaterThan(3);
  });

  it("poisons memory that nobody has written", async () => {
    const [values] = await launchLocal(
      1,
      async (rank) => {
        const stream = rank.stream("compute");
        const old = rank.device.fromArray([1, 2, 3]);
        old.free();
        return [...(await stream.read(rank.device.empty([3])))];
      },
      { fuzz: { seed: 0 } },
    );
    expect(values).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it("reports a deadlock with what each stream waits for", async () => {
    const launch = launchLocal(
      2,
      async (rank) => {
        const [a, b] = [rank.stream("a"), rank.stream("b")];
        // Rank 0 enqueues its part of the barrier only after its own wait for rank 1.
        if (rank.rank === 0) {
          rank.world.barrier(a);
          await a.done();
        }
        rank.world.barrier(b);
        await b.done();
      },
      { fuzz: { seed: 1 } },
    );
    const { code, message } = await faultOf(launch);
    expect(code).toBe("STATE");
    expect(message).toContain("Deadlock");
    expect(message).toMatch(/rank 0, stream "a": barrier #0 .*waits for rank 1/);
    expect(message).toMatch(/rank 1, stream "b": barrier #0 .*waits for rank 0/);
  });

  it("waits for a rank that awaits something else", async () => {
    const got = await launchLocal(
      2,
      async (rank) => {
        const stream = rank.stream("comm");
        if (rank.rank === 1) await new Promise((resolve) => setTimeout(resolve, 30));
        const sum = rank.device.fromArray([rank.rank + 1]);
        rank.world.allReduce(stream, sum);
        return (await stream.read(sum))[0];
      },
      { fuzz: { seed: 5 } },
    );
    expect(got).toEqual([3, 3]);
  });
});
