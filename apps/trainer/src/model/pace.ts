import type { Stream } from "@libra/runtime";

/**
 * Keeps the work of at most two parts in a stream's queue: enqueuing runs far ahead of computing, and
 * memory that has been freed serves again only once the operations that used it have run. The queue
 * never runs dry, since the newest part is not waited for.
 */
export class Pace {
  readonly #stream: Stream;
  #before: Promise<void> = Promise.resolve();

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Call after enqueuing a part; resolves when the part before it has run. */
  async next(): Promise<void> {
    const now = this.#stream.done();
    await this.#before;
    this.#before = now;
  }
}
