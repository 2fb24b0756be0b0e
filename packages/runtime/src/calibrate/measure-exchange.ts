import { type Link, nonNegativeLeastSquares } from "@libra/cost-model";
import type { BlockList } from "../communicator.js";
import type { Rank } from "../rank.js";
import type { Tensor } from "../tensor.js";
import { uniform } from "./measure-attention.js";
import { type Measurement, measureRounds, type RoundsOptions } from "./rounds.js";

/** Links inside this machine: copies on the own rank, and from the next one. */
export interface MeasuredLinks {
  readonly self: Link;
  readonly sameNode: Link;
}

// Heads of 64 elements: tiles take the four query heads of one of two KV heads, and its keys.
const vectorSize = 64;
const [group, kvHeads] = [4, 2];
// More rows at home than caches hold.
const homeRows = 8192;
const rowCounts = [4, 32, 256, 1024, 4096];
const bytesPerRow = (group + 1) * vectorSize * 4;

/**
 * Times exchanges of several sizes and fits `latency + bytes / bandwidth`. Called by every rank of a
 * launch; each sends as much to the next as it receives.
 */
export async function measureExchange(rank: Rank, options: RoundsOptions): Promise<MeasuredLinks> {
  const bench = new ExchangeBench(rank);
  const distances = [0, 1 % rank.size];
  const tasks = distances.flatMap((distance) =>
    rowCounts.map((rows): Measurement => {
      let repeat = 0;
      return () => bench.run(distance, rows, repeat++);
    }),
  );
  // Ranks must make the same number of rounds: none of them looks at its own clock.
  const rounds = { ...options, seconds: Number.POSITIVE_INFINITY, most: exchangeRounds };
  const seconds = await measureRounds(tasks, rounds);
  const bytes = rowCounts.map((rows) => rows * bytesPerRow);
  return {
    self: fitLink(bytes, seconds.slice(0, rowCounts.length)),
    sameNode: fitLink(bytes, seconds.slice(rowCounts.length)),
  };
}

const exchangeRounds = 15;

/** Rows of query and key vectors as they lie at home, and where they are staged. */
class ExchangeBench {
  readonly #rank: Rank;
  readonly #home: readonly Tensor[];
  readonly #staged: readonly Tensor[];

  constructor(rank: Rank) {
    const { device } = rank;
    const tensors = (heads: readonly number[], make: (shape: number[]) => Tensor) =>
      heads.map((count) => make([homeRows * count, vectorSize]));
    this.#rank = rank;
    this.#home = tensors([group * kvHeads, kvHeads], ([vectors]) =>
      device.fromArray(uniform(vectors! * vectorSize, 1), [vectors!, vectorSize]),
    );
    this.#staged = tensors([group, 1], (shape) => device.zeros(shape));
  }

  /** Each repeat moves other rows, so that none is found in a cache. */
  async run(distance: number, rows: number, repeat: number): Promise<number> {
    const { rank, size, world } = this.#rank;
    const first = ((repeat * rows) % (homeRows - rows + 1)) | 0;
    const to = (rank + distance) % size;
    const from = (rank - distance + size) % size;
    const transfers = [group, 1].map((width, i) => ({
      send: blocks(size, to, {
        first: first * width * kvHeads,
        rows,
        stride: width * kvHeads,
        width,
      }),
      receive: blocks(size, from, { first: first * width, rows, stride: width, width }),
      sources: [this.#home[i]!],
      destinations: [this.#staged[i]!],
      vectorSize,
    }));
    const stream = this.#rank.stream("exchange");
    world.barrier(stream);
    await stream.done();
    stream.resetTimings();
    world.exchange(stream, transfers);
    await stream.done();
    return stream.timings().exchange!.wallMs / 1e3;
  }
}

/** Rows of vectors to or from one peer. */
function blocks(
  size: number,
  peer: number,
  { first, rows, stride, width }: { first: number; rows: number; stride: number; width: number },
): BlockList {
  return Object.freeze({
    peerOffsets: Int32Array.from({ length: size + 1 }, (_, i) => (i > peer ? 1 : 0)),
    buffer: Uint8Array.of(0),
    offset: Int32Array.of(first),
    rows: Int32Array.of(rows),
    stride: Int32Array.of(stride),
    width: Int32Array.of(width),
  });
}

/** Relative errors count, so that small exchanges tell the latency. */
export function fitLink(bytes: readonly number[], seconds: readonly number[]): Link {
  const { x } = nonNegativeLeastSquares(
    seconds.map((time, i) => [1 / time, bytes[i]! / time]),
    seconds.map(() => 1),
  );
  // Bytes that cost nothing beside the latency: as fast as the largest exchange was.
  const largest = bytes[bytes.length - 1]! / seconds[seconds.length - 1]!;
  return { latency: x[0]!, bandwidth: x[1]! > 0 ? 1 / x[1]! : largest };
}
