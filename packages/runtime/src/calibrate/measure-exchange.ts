import { type Link, nonNegativeLeastSquares } from "@libra/cost-model";
import type { BlockList } from "../communicator.js";
import type { Rank } from "../rank.js";
import { uniform } from "./measure-attention.js";
import { type Measurement, measureRounds, type RoundsOptions } from "./rounds.js";

/** Links inside this machine: copies on the own rank, and from the next one. */
export interface MeasuredLinks {
  readonly self: Link;
  readonly sameNode: Link;
}

const vectorSize = 64;
const vectorCounts = [16, 128, 1024, 4096, 16384];

/**
 * Times exchanges of several sizes and fits `latency + bytes / bandwidth`. Called by every rank of a
 * launch; each sends as much to the next as it receives.
 */
export async function measureExchange(rank: Rank, options: RoundsOptions): Promise<MeasuredLinks> {
  const most = Math.max(...vectorCounts);
  const source = rank.device.fromArray(uniform(most * vectorSize, 1), [most, vectorSize]);
  const target = rank.device.zeros([most, vectorSize]);
  const peers = { self: 0, sameNode: 1 % rank.size };
  const tasks = Object.values(peers).flatMap((distance) =>
    vectorCounts.map((vectors): Measurement => {
      const send = blocks(rank.size, (rank.rank + distance) % rank.size, vectors);
      const receive = blocks(rank.size, (rank.rank - distance + rank.size) % rank.size, vectors);
      const transfer = { send, receive, sources: [source], destinations: [target], vectorSize };
      return () => exchangeOnce(rank, transfer);
    }),
  );
  // Ranks must make the same number of rounds: none of them looks at its own clock.
  const rounds = { ...options, seconds: Number.POSITIVE_INFINITY, most: exchangeRounds };
  const seconds = await measureRounds(tasks, rounds);
  return {
    self: fitLink(seconds.slice(0, vectorCounts.length)),
    sameNode: fitLink(seconds.slice(vectorCounts.length)),
  };
}

const exchangeRounds = 15;

async function exchangeOnce(
  rank: Rank,
  transfer: Parameters<Rank["world"]["exchange"]>[1][number],
): Promise<number> {
  const stream = rank.stream("exchange");
  rank.world.barrier(stream);
  await stream.done();
  stream.resetTimings();
  rank.world.exchange(stream, [transfer]);
  await stream.done();
  return stream.timings().exchange!.wallMs / 1e3;
}

/** All vectors to or from one peer. */
function blocks(size: number, peer: number, vectors: number): BlockList {
  return Object.freeze({
    peerOffsets: Int32Array.from({ length: size + 1 }, (_, i) => (i > peer ? 1 : 0)),
    buffer: Uint8Array.of(0),
    offset: Int32Array.of(0),
    rows: Int32Array.of(vectors),
    stride: Int32Array.of(1),
    width: Int32Array.of(1),
  });
}

/** Relative errors count, so that small exchanges tell the latency. */
export function fitLink(seconds: readonly number[]): Link {
  const bytes = vectorCounts.map((vectors) => vectors * vectorSize * 4);
  const { x } = nonNegativeLeastSquares(
    seconds.map((time, i) => [1 / time, bytes[i]! / time]),
    seconds.map(() => 1),
  );
  // Bytes that cost nothing beside the latency: as fast as the largest exchange was.
  const largest = bytes[bytes.length - 1]! / seconds[seconds.length - 1]!;
  return { latency: x[0]!, bandwidth: x[1]! > 0 ? 1 / x[1]! : largest };
}
