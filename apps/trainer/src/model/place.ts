import type { Device, Stream } from "@libra/runtime";

/** Where a model lives: memory and the queue of its compute. */
export interface Place {
  readonly device: Device;
  readonly stream: Stream;
}
