import { expected, LibraError, requireArray, requireInteger } from "@libra/base";
import { type DType, dtypeCode, elementBytes } from "./dtype.js";
import type { Column, NativeCommunicator, NativeWorld } from "./native/binding.js";
import { ListCache } from "./native/lists.js";
import { native } from "./native/native.js";
import { shapeText } from "./shape.js";
import type { Stream } from "./stream.js";
import { Tensor } from "./tensor.js";

/**
 * Blocks of vectors by peer, in columns: block `b` is `rows[b]` groups of `width[b]` consecutive
 * vectors, group `g` beginning at vector `offset[b] + g · stride[b]` of tensor `buffer[b]`.
 * A frozen list must not change any more: its native copy is reused.
 */
export interface BlockList {
  /** Blocks of peer `p` are `peerOffsets[p] … peerOffsets[p + 1]`; length size + 1. */
  readonly peerOffsets: Int32Array;
  readonly buffer: Uint8Array;
  readonly offset: Float64Array | Int32Array;
  readonly rows: Int32Array;
  readonly stride: Int32Array;
  readonly width: Int32Array;
}

/** One family of vectors that an exchange moves. */
export interface Transfer {
  readonly send: BlockList;
  readonly receive: BlockList;
  /** By `buffer` of `send`. */
  readonly sources: readonly Tensor[];
  /** By `buffer` of `receive`. */
  readonly destinations: readonly Tensor[];
  /** Elements of a vector. */
  readonly vectorSize: number;
}

const blockLists = new ListCache((list: BlockList) =>
  native().blockListCreate(
    requireColumn(list?.peerOffsets, "peerOffsets"),
    requireColumn(list.buffer, "buffer"),
    requireColumn(list.offset, "offset"),
    requireColumn(list.rows, "rows"),
    requireColumn(list.stride, "stride"),
    requireColumn(list.width, "width"),
  ),
);

/** A typed array of numbers, as the columns of plans are. */
export function requireColumn(value: unknown, name: string): Column {
  if (
    value instanceof Int32Array ||
    value instanceof Float64Array ||
    value instanceof Uint8Array ||
    value instanceof Uint32Array
  ) {
    return value;
  }
  throw expected("an Int32Array, Float64Array, Uint8Array or Uint32Array", name, value);
}

function commonType(sources: readonly Tensor[], destinations: readonly Tensor[]): DType {
  const [first = "float32", ...others] = [...sources, ...destinations].map(({ dtype }) => dtype);
  const other = others.find((dtype) => dtype !== first);
  if (other === undefined) return first;
  throw new LibraError(
    "ARGUMENT",
    `Expected sources and destinations of one type but received ${first} and ${other}`,
  );
}

/**
 * Ranks that call collectives together. Every member enqueues the same calls in the same order on
 * streams of the same name; calls have sequence numbers by (communicator, stream name). A call that
 * cannot meet its peers' fails on every rank: MISMATCH for other sizes, calls or order, TIMEOUT with
 * those who never came, RANK_FAILED for a rank that threw or returned.
 */
export class Communicator {
  /** Position in `ranks`. */
  readonly rank: number;
  readonly size: number;
  /** Global ranks of the members. */
  readonly ranks: readonly number[];
  readonly #world: NativeWorld;
  readonly #handle: NativeCommunicator;
  readonly #device: object;
  readonly #key: string;
  readonly #groups = new Map<string, number>();

  /** @internal Use `rank.world` and `group()`. */
  constructor(
    world: NativeWorld,
    device: object,
    key: string,
    ranks: readonly number[],
    rank: number,
  ) {
    this.#world = world;
    this.#device = device;
    this.#key = key;
    this.rank = rank;
    this.size = ranks.length;
    this.ranks = Object.freeze([...ranks]);
    this.#handle = native().communicatorCreate(world, key, Int32Array.from(ranks), rank);
  }

  /**
   * A communicator of some of this one's members, called by each of them, in the same order.
   *
   * @param ranks - global ranks; their order gives the ranks in the new communicator
   * @throws ARGUMENT unless they are distinct members, the caller among them
   */
  group(ranks: readonly number[]): Communicator {
    requireArray(ranks, "ranks");
    const self = this.ranks[this.rank]!;
    for (const rank of ranks) {
      if (!this.ranks.includes(rank)) throw expected(`members of [${this.ranks}]`, "ranks", ranks);
    }
    if (new Set(ranks).size !== ranks.length) throw expected("distinct ranks", "ranks", ranks);
    const rank = ranks.indexOf(self);
    if (rank < 0) throw expected(`a list with the caller's rank ${self}`, "ranks", ranks);
    const members = ranks.join(",");
    const count = this.#groups.get(members) ?? 0;
    this.#groups.set(members, count + 1);
    const key = `${this.#key}/${members}#${count}`;
    return new Communicator(this.#world, this.#device, key, ranks, rank);
  }

  /**
   * Sum over all ranks in rank order, in place; the same bits on every rank. bfloat16 is summed in
   * float32 and rounded once, at the end.
   */
  allReduce(stream: Stream, tensor: Tensor, op: "sum" = "sum"): void {
    if (op !== "sum") throw expected('"sum"', "op", op);
    const storage = this.#storage(tensor, "tensor");
    const { offset, size, dtype } = tensor;
    native().allReduce(this.#handle, stream.handle, storage, offset, size, dtypeCode[dtype]);
  }

  /**
   * `output` = this rank's part of the sum of all `input`s, in rank order, as {@link allReduce} sums.
   *
   * @param input - size × as many elements as `output`
   */
  reduceScatter(stream: Stream, input: Tensor, output: Tensor): void {
    const from = this.#storage(input, "input");
    const to = this.#storage(output, "output");
    this.#requireParts(input, output, "input", "output");
    native().reduceScatter(
      this.#handle,
      stream.handle,
      ...([from, input.offset, to, output.offset] as const),
      ...([output.size, dtypeCode[output.dtype]] as const),
    );
  }

  /**
   * `output` = the `input`s of all ranks in rank order.
   *
   * @param output - size × as many elements as `input`
   */
  allGather(stream: Stream, input: Tensor, output: Tensor): void {
    const from = this.#storage(input, "input");
    const to = this.#storage(output, "output");
    this.#requireParts(output, input, "output", "input");
    native().allGather(
      this.#handle,
      stream.handle,
      ...([from, input.offset, to, output.offset, input.byteLength] as const),
    );
  }

  /** Every rank's tensor becomes the root's. `root` is a rank of this communicator. */
  broadcast(stream: Stream, tensor: Tensor, root: number): void {
    requireInteger(root, "root", 0, this.size - 1);
    const storage = this.#storage(tensor, "tensor");
    const { offset, byteLength } = tensor;
    native().broadcast(this.#handle, stream.handle, storage, offset, byteLength, root);
  }

  /** What follows on the stream runs after every rank has come here. */
  barrier(stream: Stream): void {
    native().barrier(this.#handle, stream.handle);
  }

  /**
   * Moves vectors between all pairs of ranks: for each pair the sender's and the receiver's blocks
   * list the same vectors in the same order. One copy, straight from the peer's tensors, which must
   * not be written before the exchange has ended on this stream.
   *
   * @throws ARGUMENT for lists that reach outside their tensors, and for a transfer between tensors
   *   of different types
   */
  exchange(stream: Stream, transfers: readonly Transfer[]): void {
    requireArray(transfers, "transfers");
    const flat = transfers.flatMap((transfer) => {
      const { send, receive, sources, destinations, vectorSize } = transfer;
      requireInteger(vectorSize, "vectorSize", 1);
      const bytes = vectorSize * elementBytes[commonType(sources, destinations)];
      return [
        blockLists.handle(send),
        blockLists.handle(receive),
        sources.flatMap((tensor) => this.#triple(tensor, "sources")),
        destinations.flatMap((tensor) => this.#triple(tensor, "destinations")),
        bytes,
      ];
    });
    native().exchange(this.#handle, stream.handle, flat);
  }

  #triple(tensor: Tensor, name: string) {
    return [this.#storage(tensor, name), tensor.offset, tensor.byteLength];
  }

  #storage(tensor: Tensor, name: string) {
    if (!(tensor instanceof Tensor)) throw expected("a tensor", name, tensor);
    if (tensor.storage.owner !== this.#device) {
      throw new LibraError("ARGUMENT", `Expected a tensor of this rank's device for ${name}`);
    }
    return tensor.storage.handle();
  }

  #requireParts(whole: Tensor, part: Tensor, wholeName: string, partName: string): void {
    if (whole.size === part.size * this.size && whole.dtype === part.dtype) return;
    throw new LibraError(
      "ARGUMENT",
      `Expected ${this.size} × the ${part.size} elements of ${partName} ` +
        `${shapeText(part.shape)} ${part.dtype} for ${wholeName} but received ` +
        `${shapeText(whole.shape)} ${whole.dtype}`,
    );
  }
}
