import type { Communicator, Device, Stream, Tensor } from "@libra/runtime";
import type { Hop } from "@libra/scheduler";

/** One tensor that an exchange moves. */
export interface Move {
  /** Whose lists of the hop it follows. */
  readonly kind: "query" | "key";
  readonly from: Tensor;
  readonly to: Tensor;
  /** Between two hops; undefined when the program has one. */
  readonly relay: Tensor | undefined;
  /** Elements of a vector. */
  readonly vectorSize: number;
}

/** Enqueues all hops of a chunk, one call of the communicator each: every worker takes part. */
export function exchangeHops(
  pool: Communicator,
  stream: Stream,
  hops: readonly Hop[],
  moves: readonly Move[],
): void {
  for (const hop of hops) {
    pool.exchange(
      stream,
      moves.map(({ kind, from, to, relay, vectorSize }) => ({
        send: hop[kind].send,
        receive: hop[kind].receive,
        // In the order of bufferIds.
        sources: relay === undefined ? [from] : [from, relay],
        destinations: relay === undefined ? [to] : [to, relay],
        vectorSize,
      })),
    );
  }
}

/** Allocates tensors of `vectors × size` and frees all it gave at once. */
export class Staging {
  private readonly tensors: Tensor[] = [];

  constructor(private readonly device: Device) {}

  empty(vectors: number, size: number): Tensor {
    const tensor = this.device.empty([vectors, size]);
    this.tensors.push(tensor);
    return tensor;
  }

  /** Operations in the queues hold the storage, so this may be called once all is enqueued. */
  free(kept: readonly Tensor[] = []): void {
    for (const tensor of this.tensors) if (!kept.includes(tensor)) tensor.free();
  }
}
