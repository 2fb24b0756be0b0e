import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { launchLocal, type Rank, type Tensor } from "../src/index.js";
import { type Block, blockList, consecutive } from "./support/blocks.js";
import { faultOf } from "./support/fault.js";
import { numbers } from "./support/random.js";

/** Splits a list of vector indices into blocks: rows of equal width and stride where there are. */
function blocksOver(indices: readonly number[], width: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < indices.length; ) {
    let run = 1;
    while (run < width && indices[at + run] === indices[at]! + run) run += 1;
    blocks.push({ offset: indices[at]!, rows: 1, stride: run, width: run });
    at += run;
  }
  return blocks;
}

describe("exchange", () => {
  it("moves bfloat16 and refuses a transfer between different types", async () => {
    const got = await launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      const { device, world } = rank;
      const own = device.fromArray(
        [0.1, 1, 2, 3, 4, 5].map((value) => value + 10 * rank.rank),
        [2, 3],
        "bfloat16",
      );
      const to = device.zeros([2, 3], "bfloat16");
      const [one, other] = [
        { offset: 0, rows: 1 },
        { offset: 1, rows: 1 },
      ];
      const list = blockList(rank.rank === 0 ? [[other], [one]] : [[one], [other]]);
      const lists = { send: list, receive: list, vectorSize: 3 };
      world.exchange(stream, [{ ...lists, sources: [own], destinations: [to] }]);
      const wide = device.zeros([2, 3]);
      expect(() =>
        world.exchange(stream, [{ ...lists, sources: [own], destinations: [wide] }]),
      ).toThrow("Expected sources and destinations of one type but received bfloat16 and float32");
      return [...(await stream.read(to))];
    });
    expect(got).toEqual([
      [10.125, 11, 12, 3, 4, 5],
      [0.10009765625, 1, 2, 13, 14, 15],
    ]);
  });

  it("moves random vectors of several tensors between 1 to 5 ranks, fuzzed or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 2 ** 20 }),
        fc.option(fc.nat(1000), { nil: undefined }),
        async (size, seed, fuzzSeed) => {
          const draws = numbers(4000, seed);
          let next = 0;
          const draw = (below: number): number => Math.floor(((draws[next++]! + 1) / 2) * below);
          const [vectors, vectorSize] = [24, 1 + draw(3)];
          // pairs[from][to]: which vectors of which of two sources go where in the destination.
          const places = Array.from({ length: size }, () => {
            const free = Array.from({ length: vectors * size }, (_, i) => i);
            return () => free.splice(draw(free.length), 1)[0]!;
          });
          const pairs = Array.from({ length: size }, () =>
            Array.from({ length: size }, (_, to) =>
              Array.from({ length: draw(vectors) }, () => ({
                buffer: draw(2),
                from: draw(vectors),
                to: places[to]!(),
              })),
            ),
          );
          const values = (rank: number, buffer: number): Float32Array =>
            numbers(vectors * vectorSize, rank * 2 + buffer);
          const program = async (rank: Rank): Promise<readonly number[]> => {
            const stream = rank.stream("comm");
            const send = blockList(
              pairs[rank.rank]!.map((moves) =>
                moves.map(({ buffer, from }) => ({ buffer, offset: from, rows: 1 })),
              ),
            );
            const receive = blockList(
              pairs.map((row) =>
                blocksOver(
                  row[rank.rank]!.map(({ to }) => to),
                  3,
                ),
              ),
            );
            const shape = [vectors, vectorSize];
            const sources = [0, 1].map((buffer) =>
              rank.device.fromArray(values(rank.rank, buffer), shape),
            );
            const destination = rank.device.zeros([vectors * size, vectorSize]);
            const transfer = { send, receive, sources, destinations: [destination], vectorSize };
            rank.world.exchange(stream, [transfer]);
            return Array.from(await stream.read(destination));
          };
          const options = fuzzSeed === undefined ? {} : { fuzz: { seed: fuzzSeed } };
          const got = await launchLocal(size, program, options);
          const wanted = got.map((all) => new Array<number>(all.length).fill(0));
          pairs.forEach((row, from) => {
            row.forEach((moves, to) => {
              for (const move of moves) {
                for (let i = 0; i < vectorSize; i += 1) {
                  const value = values(from, move.buffer)[move.from * vectorSize + i]!;
                  wanted[to]![move.to * vectorSize + i] = value;
                }
              }
            });
          });
          expect(got).toEqual(wanted);
        },
      ),
      { seed: 11, numRuns: 30 },
    );
  });

  it("C16 two ranks that send 8 MiB to each other end in time", async () => {
    const count = 2 ** 21;
    const begin = performance.now();
    const sums = await launchLocal(2, async (rank) => {
      const stream = rank.stream("comm");
      const source = rank.device.fromArray(new Float32Array(count).fill(rank.rank + 1));
      const destination = rank.device.empty([count]);
      const counts = rank.rank === 0 ? [0, count] : [count, 0];
      const list = consecutive(counts);
      const ends = { sources: [source], destinations: [destination], vectorSize: 1 };
      rank.world.exchange(stream, [{ send: list, receive: list, ...ends }]);
      const values = await stream.read(destination);
      return values[0]! + values[count - 1]!;
    });
    expect(sums).toEqual([4, 2]);
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it("C17 a rank with nothing to exchange in one round takes part in the next", async () => {
    const got = await launchLocal(4, async (rank) => {
      const stream = rank.stream("comm");
      const source = rank.device.fromArray(new Float32Array(4).fill(rank.rank));
      const destination = rank.device.zeros([4]);
      const ends = { sources: [source], destinations: [destination], vectorSize: 1 };
      const among = (ranks: number): number[] =>
        [0, 1, 2, 3].map((peer) => (peer < ranks && rank.rank < ranks ? 1 : 0));
      for (const ranks of [3, 4]) {
        // One vector to each peer from the first `ranks`; the others' lists are empty.
        const blocks = among(ranks).map((rows, peer) =>
          rows === 0 ? [] : [{ offset: peer, rows }],
        );
        const list = blockList(blocks);
        rank.world.exchange(stream, [{ send: list, receive: list, ...ends }]);
        if (ranks === 3) {
          const first = [...(await stream.read(destination))];
          expect(first).toEqual(rank.rank === 3 ? [0, 0, 0, 0] : [0, 1, 2, 0]);
        }
      }
      return [...(await stream.read(destination))];
    });
    for (const values of got) expect(values).toEqual([0, 1, 2, 3]);
  });

  it("C17 one-sided counts fail on all ranks, naming source, destination and bytes", async () => {
    const seen: unknown[] = [];
    const launch = launchLocal(4, async (rank) => {
      const stream = rank.stream("comm");
      const send = consecutive(rank.rank === 0 ? [0, 0, 16, 0] : [0, 0, 0, 0]);
      const receive = consecutive([0, 0, 0, 0]);
      const tensors: Tensor[] = [rank.device.zeros([16])];
      const ends = { sources: tensors, destinations: tensors, vectorSize: 1 };
      rank.world.exchange(stream, [{ send, receive, ...ends }]);
      await stream.done().catch((error: unknown) => {
        seen[rank.rank] = error;
        throw error;
      });
    });
    const wanted = {
      code: "MISMATCH",
      message: expect.stringContaining("rank 0 sends 64 bytes to rank 2, which expects 0"),
      details: { source: 0, destination: 2, bytesGot: 64, bytesExpected: 0, sequence: 0 },
    };
    expect(await faultOf(launch)).toMatchObject(wanted);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toHaveLength(4);
    for (const error of seen) expect(error).toMatchObject(wanted);
  });

  it("E5 twice the count: operation, sequence, peer, bytes and who had not come", async () => {
    const begin = performance.now();
    const launch = launchLocal(
      3,
      async (rank) => {
        const stream = rank.stream("comm");
        rank.world.barrier(stream);
        if (rank.rank === 2) await new Promise((resolve) => setTimeout(resolve, 200));
        const factor = rank.rank === 0 ? 2 : 1;
        const tensors = [rank.device.zeros([64])];
        const send = consecutive([4 * factor, 4 * factor, 4 * factor]);
        const receive = consecutive([4 * factor, 4, 4]);
        const ends = { sources: tensors, destinations: tensors, vectorSize: 2 };
        rank.world.exchange(stream, [{ send, receive, ...ends }]);
        await stream.done();
      },
      { timeoutMs: 5000 },
    );
    const { code, message, details } = await faultOf(launch);
    expect(code).toBe("MISMATCH");
    expect(message).toContain('exchange #1 of ranks {0, 1, 2} on stream "comm"');
    expect(message).toContain("rank 0 sends 64 bytes to rank 1, which expects 32");
    expect(message).toContain("not arrived yet: rank 2");
    expect(details).toMatchObject({ operation: "exchange", sequence: 1, peer: 0 });
    expect(performance.now() - begin).toBeLessThan(15_000);
  });

  it("refuses lists for another number of peers and tensors that are too small", async () => {
    await launchLocal(1, async (rank) => {
      const stream = rank.stream("comm");
      const tensors = [rank.device.zeros([3])];
      const ends = { sources: tensors, destinations: tensors, vectorSize: 1 };
      const exchange = (counts: number[]) => () => {
        const list = consecutive(counts);
        rank.world.exchange(stream, [{ send: list, receive: list, ...ends }]);
      };
      expect(exchange([1, 1])).toThrow("Expected blocks for 1 peers");
      expect(exchange([4])).toThrow("Expected a tensor of at least 16 bytes for buffer 0 of send");
      expect(() => rank.world.exchange(stream, [])).toThrow("Expected at least one transfer");
    });
  });

  it("uses a frozen list's native copy again", async () => {
    await launchLocal(1, async (rank) => {
      const stream = rank.stream("comm");
      const list = Object.freeze(consecutive([3]));
      const [from, to] = [rank.device.fromArray([1, 2, 3]), rank.device.zeros([3])];
      const ends = { sources: [from], destinations: [to], vectorSize: 1 };
      for (let i = 0; i < 3; i += 1) {
        rank.world.exchange(stream, [{ send: list, receive: list, ...ends }]);
      }
      expect([...(await stream.read(to))]).toEqual([1, 2, 3]);
    });
  });
});
