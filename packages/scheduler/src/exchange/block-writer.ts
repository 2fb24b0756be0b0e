import type { BlockList } from "./exchange-program.js";

/** Collects a {@link BlockList}; peers come in ascending order. */
export class BlockWriter {
  private count = 0;
  private nextPeer = 0;
  private workers = 0;
  private peerOffsets = new Int32Array(1);
  private buffer = new Uint8Array(16);
  private offset = new Float64Array(16);
  private rows = new Int32Array(16);
  private stride = new Int32Array(16);
  private width = new Int32Array(16);

  begin(workers: number): void {
    this.count = 0;
    this.nextPeer = 0;
    this.workers = workers;
    if (this.peerOffsets.length < workers + 1) this.peerOffsets = new Int32Array(workers + 1);
  }

  /** Blocks that follow belong to this peer. */
  peer(worker: number): void {
    while (this.nextPeer <= worker) this.peerOffsets[this.nextPeer++] = this.count;
  }

  push(buffer: number, offset: number, rows: number, stride: number, width: number): void {
    if (this.count === this.rows.length) this.grow();
    const i = this.count++;
    this.buffer[i] = buffer;
    this.offset[i] = offset;
    this.rows[i] = rows;
    this.stride[i] = stride;
    this.width[i] = width;
  }

  finish(): BlockList {
    this.peer(this.workers);
    const { count } = this;
    return {
      peerOffsets: this.peerOffsets.slice(0, this.workers + 1),
      buffer: this.buffer.slice(0, count),
      offset: this.offset.slice(0, count),
      rows: this.rows.slice(0, count),
      stride: this.stride.slice(0, count),
      width: this.width.slice(0, count),
    };
  }

  private grow(): void {
    const capacity = 2 * this.count;
    const wider = <Column extends Uint8Array | Int32Array | Float64Array>(
      old: Column,
      fresh: Column,
    ): Column => {
      fresh.set(old);
      return fresh;
    };
    this.buffer = wider(this.buffer, new Uint8Array(capacity));
    this.offset = wider(this.offset, new Float64Array(capacity));
    this.rows = wider(this.rows, new Int32Array(capacity));
    this.stride = wider(this.stride, new Int32Array(capacity));
    this.width = wider(this.width, new Int32Array(capacity));
  }
}
