import { expected } from "@libra/base";
import { Communicator } from "./communicator.js";
import { CpuDevice, type Device } from "./device.js";
import type { NativeWorld } from "./native/binding.js";
import { native } from "./native/native.js";
import { type Awaiting, Stream, type Timing } from "./stream.js";

/** One rank of a launch, as its program sees it. */
export interface Rank {
  readonly rank: number;
  readonly size: number;
  readonly device: Device;
  /** All ranks. */
  readonly world: Communicator;
  /** Aborted when the launch fails, with its error as the reason. */
  readonly signal: AbortSignal;
  /** The stream of this name; made at the first call. */
  stream(name: string): Stream;
  /** Times by stream name, then by kind of operation. */
  timings(): Record<string, Record<string, Timing>>;
}

export class LocalRank implements Rank {
  readonly rank: number;
  readonly size: number;
  readonly device: CpuDevice;
  readonly world: Communicator;
  readonly signal: AbortSignal;
  /** Whether the program has returned. */
  returned = false;
  readonly awaiting: Awaiting = { count: 0 };
  readonly #world: NativeWorld;
  readonly #streams = new Map<string, Stream>();

  constructor(
    world: NativeWorld,
    place: { rank: number; size: number; threads: number; signal: AbortSignal },
  ) {
    this.#world = world;
    this.rank = place.rank;
    this.size = place.size;
    this.signal = place.signal;
    this.device = new CpuDevice(world, place.rank, place.threads);
    const everyone = Array.from({ length: place.size }, (_, rank) => rank);
    this.world = new Communicator(world, this.device, "world", everyone, place.rank);
  }

  stream(name: string): Stream {
    if (typeof name !== "string" || name === "") throw expected("a name", "name", name);
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const stream = new Stream(name, native().streamCreate(this.#world, this.rank, name), {
      device: this.device,
      launch: this.#world,
      awaiting: this.awaiting,
    });
    this.#streams.set(name, stream);
    return stream;
  }

  streams(): readonly Stream[] {
    return [...this.#streams.values()];
  }

  timings(): Record<string, Record<string, Timing>> {
    return Object.fromEntries(this.streams().map((stream) => [stream.name, stream.timings()]));
  }
}
