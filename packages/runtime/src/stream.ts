import { expected, LibraError } from "@libra/base";
import { type DType, dtypeCode, type TensorData, viewOf } from "./dtype.js";
import { Event } from "./event.js";
import type { NativeStream, NativeTiming } from "./native/binding.js";
import { native } from "./native/native.js";
import { Tensor } from "./tensor.js";

/**
 * What the operations of one kind took: run time, CPU time of the busiest thread (the critical
 * path when ranks share cores), and time at the front of the queue waiting for peers or events.
 */
export type Timing = Readonly<NativeTiming>;

/** How many of a rank's promises JavaScript awaits: the schedule fuzzer runs between turns. */
export interface Awaiting {
  count: number;
}

/**
 * A queue of operations that run one after another, at the same time as other streams. Enqueueing
 * never blocks; order between streams comes from events:
 *
 * ```ts
 * compute.wait(copies.record());
 * ```
 *
 * The first error of an operation sticks to the stream: what follows is skipped, and `done()` and
 * `read()` reject with it.
 */
export class Stream {
  readonly name: string;
  /** @internal */
  readonly handle: NativeStream;
  /** @internal The device whose tensors the operations use. */
  readonly device: object;
  /** @internal */
  readonly launch: object;
  readonly #awaiting: Awaiting;

  /** @internal Use `rank.stream(name)`. */
  constructor(
    name: string,
    handle: NativeStream,
    owner: { device: object; launch: object; awaiting: Awaiting },
  ) {
    this.name = name;
    this.handle = handle;
    this.device = owner.device;
    this.launch = owner.launch;
    this.#awaiting = owner.awaiting;
  }

  /** An event that happens when all operations enqueued so far have run. */
  record(): Event {
    return new Event(native().streamRecord(this.handle), this.launch);
  }

  /**
   * Operations enqueued from now on run after the event.
   *
   * @throws ARGUMENT for anything but an event of the same launch
   */
  wait(event: Event): void {
    if (!(event instanceof Event) || event.launch !== this.launch) {
      throw expected("an event of the same launch", "event", event);
    }
    native().streamWait(this.handle, event.handle);
  }

  /** Resolves when all operations enqueued so far have run; rejects with the stream's error. */
  done(): Promise<void> {
    return this.#tracked(native().streamDone(this.handle));
  }

  /**
   * The tensor's values at this place of the stream's order.
   *
   * @returns Float32Array, Int32Array or Float64Array by the tensor's type (bfloat16: Float32Array), row-major
   */
  read(tensor: Tensor): Promise<TensorData> {
    if (!(tensor instanceof Tensor)) throw expected("a tensor", "tensor", tensor);
    if (tensor.storage.owner !== this.device) {
      throw new LibraError("ARGUMENT", "Expected a tensor of the stream's own rank for tensor");
    }
    const dtype: DType = tensor.dtype;
    const storage = tensor.storage.handle();
    return this.#tracked(
      native()
        .streamRead(this.handle, storage, tensor.offset, tensor.size, dtypeCode[dtype])
        .then((bytes) => viewOf(dtype, bytes)),
    );
  }

  /** Times since the stream was made or `resetTimings()`, by kind of operation. */
  timings(): Record<string, Timing> {
    return native().streamTimings(this.handle);
  }

  /** Starts {@link timings} again from zero. */
  resetTimings(): void {
    native().streamResetTimings(this.handle);
  }

  #tracked<Value>(promise: Promise<Value>): Promise<Value> {
    this.#awaiting.count += 1;
    const settled = (): void => {
      this.#awaiting.count -= 1;
    };
    // Handled here too: a done() that nobody awaits must not end the process; the error stays on
    // the stream and the launch reports it.
    promise.then(settled, settled);
    return promise;
  }
}
