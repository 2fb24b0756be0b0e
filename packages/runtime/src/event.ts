import type { NativeEvent } from "./native/binding.js";

/** A place in a stream's order, made by `stream.record()` and used once it is made. */
export class Event {
  /** @internal */
  readonly handle: NativeEvent;
  /** @internal Whose launch it belongs to. */
  readonly launch: object;

  /** @internal Use `stream.record()`. */
  constructor(handle: NativeEvent, launch: object) {
    this.handle = handle;
    this.launch = launch;
  }
}
