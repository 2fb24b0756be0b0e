import {
  accumulateVectors,
  type Communicator,
  type Device,
  type FloatType,
  fill,
  type Stream,
  type Tensor,
} from "@libra/runtime";
import type { ExchangeProgram } from "@libra/scheduler";
import { elementOffset } from "./offsets.js";

/** One tensor that an exchange moves. */
export interface Move {
  /** Whose lists of the hop it follows. */
  readonly kind: "query" | "key";
  readonly from: Tensor;
  readonly to: Tensor;
  /** Where a relay receives, and from where it sends on; undefined when the program has one hop. */
  readonly relay: { readonly received: Tensor; readonly sent: Tensor } | undefined;
  /** Elements of a vector. */
  readonly vectorSize: number;
}

/** Allocates tensors of `vectors × size`, float32 unless said, and frees all it gave at once. */
export class Staging {
  private readonly tensors: Tensor[] = [];

  constructor(private readonly device: Device) {}

  empty(vectors: number, size: number, dtype: FloatType = "float32"): Tensor {
    elementOffset(vectors, size); // refuses a size that no tensor can have
    const tensor = this.device.empty([vectors, size], dtype);
    this.tensors.push(tensor);
    return tensor;
  }

  /** Operations in the queues hold the storage, so this may be called once all is enqueued. */
  free(kept: readonly Tensor[] = []): void {
    for (const tensor of this.tensors) if (!kept.includes(tensor)) tensor.free();
  }
}

/** The exchange of one pass: the program, on the pool's communicator. */
export class PassExchange {
  constructor(
    private readonly pool: Communicator,
    private readonly program: ExchangeProgram,
    private readonly staging: Staging,
  ) {}

  /** From home to staging. */
  dispatched(kind: Move["kind"], from: Tensor, to: Tensor, vectorSize: number): Move {
    return { kind, from, to, relay: this.passing(kind, vectorSize, from), vectorSize };
  }

  /** From staging to home, or to the owner's partials. */
  returned(kind: Move["kind"], from: Tensor, to: Tensor, vectorSize: number): Move {
    const relay =
      kind === "key" && this.program.hops === 2
        ? {
            received: this.staging.empty(this.program.buffers.relayPartial, vectorSize),
            sent: this.staging.empty(this.program.buffers.relayKey, vectorSize),
          }
        : this.passing(kind, vectorSize, from);
    return { kind, from, to, relay, vectorSize };
  }

  /** Enqueues the hops of a chunk, one call of the communicator each: every worker takes part. */
  dispatch(stream: Stream, chunk: number, moves: readonly Move[]): void {
    for (const hop of this.program.chunks[chunk]!.dispatch) this.exchange(stream, hop, moves);
  }

  /** As `dispatch`, backwards; a relay sums its node's dK and dV between the hops. */
  return(stream: Stream, chunk: number, moves: readonly Move[]): void {
    const { return: hops, relayAdds } = this.program.chunks[chunk]!;
    const sums = moves.filter(({ kind, relay }) => kind === "key" && relay !== undefined);
    if (chunk === 0) for (const { relay } of sums) fill(stream, { out: relay!.sent, value: 0 });
    for (const [index, hop] of hops.entries()) {
      if (index > 0) {
        for (const { relay, vectorSize } of sums) {
          const { received, sent } = relay!;
          accumulateVectors(stream, { from: received, to: sent, list: relayAdds, vectorSize });
        }
      }
      this.exchange(stream, hop, moves);
    }
  }

  private passing(kind: Move["kind"], vectorSize: number, { dtype }: Tensor): Move["relay"] {
    if (this.program.hops === 1) return undefined;
    const { relayQuery, relayKey } = this.program.buffers;
    const vectors = kind === "query" ? relayQuery : relayKey;
    const tensor = this.staging.empty(vectors, vectorSize, dtype as FloatType);
    return { received: tensor, sent: tensor };
  }

  private exchange(
    stream: Stream,
    hop: ExchangeProgram["chunks"][number]["dispatch"][number],
    moves: readonly Move[],
  ): void {
    this.pool.exchange(
      stream,
      moves.map(({ kind, from, to, relay, vectorSize }) => ({
        send: hop[kind].send,
        receive: hop[kind].receive,
        // In the order of bufferIds.
        sources: relay === undefined ? [from] : [from, relay.sent],
        destinations: relay === undefined ? [to] : [to, relay.received],
        vectorSize,
      })),
    );
  }
}
